// How to make what the routes of webhooks name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const endpoint = () => ({
  url: "https://hooks.example/take",
  enabled_events: ["external_key.failed"],
});
const endpointIn = async (tenant: Tenant) => {
  const path = "/v1/organizations/webhooks";
  const beta = { "vendor-beta": "webhooks-2026-10-07" };
  const { id } = (await tenant.console("POST", path, endpoint(), beta)) as { id: string };
  return { webhook_endpoint_id: id };
};

export const webhookFixtures: Readonly<Record<string, Fixture>> = {
  "webhooks.create": { body: endpoint },
  "webhooks.list": {
    items: async (tenant) => {
      await endpointIn(tenant);
      await endpointIn(tenant);
    },
  },
  "webhooks.retrieve": { params: endpointIn },
  "webhooks.update": { params: endpointIn, body: () => ({ name: "Ops" }) },
  "webhooks.delete": { params: endpointIn },
  "webhooks.regenerate_signing_secret": { params: endpointIn },
  "console.webhooks.test": {
    params: endpointIn,
    body: () => ({}),
    elsewhere: "tests/rules/webhooks-deliveries.test.ts [WHK12]",
  },
  "console.webhooks.deliveries": { params: endpointIn },
};

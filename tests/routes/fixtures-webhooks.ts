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

const inWorkspace = () => ({
  url: "https://hooks.example/take",
  // What does not happen: no delivery is left over.
  enabled_events: ["session.pending"],
});
const workspaceEndpointIn = async (tenant: Tenant) => {
  const made = await tenant.console("POST", "/v1/webhooks", inWorkspace());
  return { webhook_endpoint_id: (made as { id: string }).id };
};

/** Nothing goes out to it: of what is asked for it a test finds a refusal in words, and leaves no job behind. */
const disabledIn = async (tenant: Tenant) => {
  const params = await workspaceEndpointIn(tenant);
  const path = `/v1/webhooks/${params.webhook_endpoint_id}`;
  await tenant.console("POST", path, { state: "disabled" });
  return params;
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
  "console.webhooks.replay": {
    params: async (tenant) => ({ ...(await endpointIn(tenant)), webhook_delivery_id: "whdl_none" }),
    elsewhere: "tests/rules/webhooks-secrets.test.ts [WHK20]",
  },
  "workspace_webhooks.create": { body: inWorkspace },
  "workspace_webhooks.list": {
    items: async (tenant) => {
      await workspaceEndpointIn(tenant);
      await workspaceEndpointIn(tenant);
    },
  },
  "workspace_webhooks.retrieve": { params: workspaceEndpointIn },
  "workspace_webhooks.update": { params: workspaceEndpointIn, body: () => ({ name: "Ops" }) },
  "workspace_webhooks.delete": { params: workspaceEndpointIn },
  "workspace_webhooks.rotate_secret": { params: workspaceEndpointIn },
  "workspace_webhooks.test": {
    params: disabledIn,
    body: () => ({}),
    status: 400,
    elsewhere: "tests/rules/webhooks-workspaces.test.ts [WHK12]",
  },
  "workspace_webhooks.deliveries": { params: workspaceEndpointIn },
  "workspace_webhooks.replay": {
    params: async (tenant) => ({
      ...(await workspaceEndpointIn(tenant)),
      // One that has ended needs a receiver: the test below has it, and a stranger who finds nothing there.
      webhook_delivery_id: "whdl_none",
    }),
    status: 404,
    elsewhere: "tests/rules/webhooks-secrets.test.ts [WHK20]",
  },
};

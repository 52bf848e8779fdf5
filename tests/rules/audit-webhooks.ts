// The changes of webhook endpoints, which leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { failed, openReceiver, recovered, webhooksOf } from "./webhooks-house.ts";

/** The house is there when they are made ready. */
export function webhookChanges(houseOf: () => House): Record<string, AuditedChange> {
  const hooks = webhooksOf(houseOf);
  const url = "https://hooks.example/take";
  const change = (
    action: string,
    act: (id: string) => (tenant: Tenant) => ReturnType<typeof hooks.call>,
    urlOf: () => Promise<string> = () => Promise.resolve(url),
  ): AuditedChange => ({
    action,
    state: async ({ organization_id }) => {
      const tables = ["webhook_endpoints", "webhook_deliveries"].map((table) =>
        houseOf().world.db.query({
          text: `select to_jsonb(t) as row from ${table} t where organization_id = $1 order by 1`,
          values: [organization_id],
        }),
      );
      return Promise.all(tables);
    },
    prepare: async (tenant) => {
      const { id } = await hooks.make(tenant, await urlOf());
      return () => act(id)(tenant);
    },
  });
  return {
    "webhooks.create": change(
      "webhook_endpoint.created",
      () => (tenant) =>
        hooks.call(tenant, "POST", "", { url, enabled_events: [failed], name: "Changed" }),
    ),
    "webhooks.update": change(
      "webhook_endpoint.updated",
      (id) => (tenant) => hooks.call(tenant, "POST", `/${id}`, { enabled_events: [recovered] }),
    ),
    "webhooks.delete": change(
      "webhook_endpoint.deleted",
      (id) => (tenant) => hooks.call(tenant, "DELETE", `/${id}`),
    ),
    "webhooks.regenerate_signing_secret": change(
      "webhook_endpoint.signing_secret_regenerated",
      (id) => (tenant) => hooks.call(tenant, "POST", `/${id}/regenerate_signing_secret`),
    ),
    "console.webhooks.test": change(
      "webhook_endpoint.tested",
      (id) => (tenant) => hooks.sendTest(tenant, id),
      // It answers, so that no delivery is left waiting for its next attempt; nothing waits for it to end.
      async () => (await openReceiver()).url,
    ),
  };
}

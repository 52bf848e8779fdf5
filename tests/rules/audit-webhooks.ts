// The changes of webhook endpoints, which leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { failed, openReceiver, recovered, webhooksOf } from "./webhooks-house.ts";

/** The house is there when they are made ready. */
export function webhookChanges(houseOf: () => House): Record<string, AuditedChange> {
  const ofOrganization = webhooksOf(houseOf);
  const ofWorkspace = webhooksOf(houseOf, "workspace");
  const url = "https://hooks.example/take";
  const change = (
    action: string,
    act: (id: string, delivery: string) => (tenant: Tenant) => ReturnType<Hooks["call"]>,
    { hooks = ofOrganization, isPosted = false, isReplayed = false } = {},
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
      // It answers, so that no delivery is left waiting for its next attempt; nothing waits for it to end.
      const address = isPosted ? (await openReceiver()).url : url;
      const events = hooks === ofWorkspace ? { enabled_events: ["session.pending"] } : {};
      const { id } = await hooks.make(tenant, address, events);
      if (!isReplayed) return () => act(id, "")(tenant);
      await hooks.sendTest(tenant, id);
      const { id: delivery } = await hooks.settled(tenant, id, 1);
      return () => act(id, delivery)(tenant);
    },
  });
  return {
    ...changesOf(ofOrganization, change, {
      prefix: "webhooks",
      inConsole: "console.webhooks",
      rotate: "regenerate_signing_secret",
      events: [failed, recovered],
    }),
    ...changesOf(ofWorkspace, change, {
      prefix: "workspace_webhooks",
      inConsole: "workspace_webhooks",
      rotate: "rotate_secret",
      // What does not happen here: nothing is left on its way.
      events: ["session.pending", "agent.deleted"],
    }),
  };
}

type Hooks = ReturnType<typeof webhooksOf>;
type Change = (
  action: string,
  act: (id: string, delivery: string) => (tenant: Tenant) => ReturnType<Hooks["call"]>,
  how?: { hooks?: Hooks; isPosted?: boolean; isReplayed?: boolean },
) => AuditedChange;

function changesOf(
  hooks: Hooks,
  change: Change,
  {
    prefix,
    inConsole,
    rotate,
    events: [first, second],
  }: { prefix: string; inConsole: string; rotate: string; events: readonly [string, string] },
): Record<string, AuditedChange> {
  const url = "https://hooks.example/take";
  return {
    [`${prefix}.create`]: change(
      "webhook_endpoint.created",
      () => (tenant) =>
        hooks.call(tenant, "POST", "", { url, enabled_events: [first], name: "Changed" }),
      { hooks },
    ),
    [`${prefix}.update`]: change(
      "webhook_endpoint.updated",
      (id) => (tenant) => hooks.call(tenant, "POST", `/${id}`, { enabled_events: [second] }),
      { hooks },
    ),
    [`${prefix}.delete`]: change(
      "webhook_endpoint.deleted",
      (id) => (tenant) => hooks.call(tenant, "DELETE", `/${id}`),
      { hooks },
    ),
    [`${prefix}.${rotate}`]: change(
      "webhook_endpoint.signing_secret_regenerated",
      (id) => (tenant) => hooks.call(tenant, "POST", `/${id}/${rotate}`),
      { hooks },
    ),
    [`${inConsole}.test`]: change(
      "webhook_endpoint.tested",
      (id) => (tenant) => hooks.sendTest(tenant, id),
      { hooks, isPosted: true },
    ),
    [`${inConsole}.replay`]: change(
      "webhook_endpoint.replayed",
      (id, delivery) => (tenant) => hooks.replay(tenant, id, delivery),
      { hooks, isPosted: true, isReplayed: true },
    ),
  };
}

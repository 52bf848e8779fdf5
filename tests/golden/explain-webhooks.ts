// The hot statements of webhooks: what each attempt reads, and what the console looks at again and again.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as deliveries from "../../server/webhooks/deliveries/queries.ts";
import * as endpoints from "../../server/webhooks/queries.ts";

export const webhookStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "webhooks: who wants an event": (on) =>
    endpoints.listWanting(on as Tx, "org", "external_key.failed"),
  "webhooks: who wants what happened in workspaces": (on) =>
    endpoints.listWantingIn(on as Tx, { workspaceIds: ["workspace"], types: ["session.idled"] }),
  "webhooks: what an attempt posts": (on) => deliveries.findDue(on, "org", "delivery"),
  "webhooks: whose audit log has grown": (on) => endpoints.listBehindAudit(on, 100),
  "webhooks: last deliveries": (on) => deliveries.listDeliveries(on, "org", "endpoint", 20),
};

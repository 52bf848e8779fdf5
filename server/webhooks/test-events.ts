// Test events, and what became of the last deliveries: for the person who sets an endpoint up.
import assert from "node:assert/strict";
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as audit from "../audit/module.ts";
import { sendToEndpoints, toDelivery } from "./deliveries.ts";
import { endpointOr404 } from "./endpoints.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries-deliveries.ts";
import { lockEndpoint } from "./queries.ts";
import type { Delivery, EventType, SendTest } from "./schema.ts";

/** As the real ones look, of things that do not exist. */
const samples: Record<EventType, { id: string } & Record<string, unknown>> = {
  "external_key.failed": { id: "ekey_test" },
  "external_key.recovered": { id: "ekey_test" },
  "user_profile.enforcement_action_opened": {
    id: "uprof_test",
    enforcement_action_id: "enac_test",
  },
  "user_profile.enforcement_action_resolved": {
    id: "uprof_test",
    enforcement_action_id: "enac_test",
  },
  "user_profile.program_status_updated": { id: "uprof_test" },
};

/** Rule WHK12. */
export async function sendTest(
  context: Context,
  id: string,
  { event_type: wanted }: SendTest,
): Promise<Delivery> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const endpoint = await lockEndpoint(tx, organizationId, id);
    if (endpoint === undefined) throw notFound("webhook endpoint", id);
    if (endpoint.state === "disabled")
      throw invalid("The webhook endpoint is disabled: enable it, then send a test event.");
    const type = wanted ?? endpoint.enabled_events[0];
    if (type === undefined || !endpoint.enabled_events.includes(type))
      throw invalid(
        `event_type: the webhook endpoint takes ${endpoint.enabled_events.join(", ")}.`,
      );
    const waiting = await queries.countWaitingTests(tx, organizationId, id);
    if (waiting >= limits.testsWaitingMax)
      throw invalid(
        `${waiting} test events wait to be delivered, the most there may be. See what went wrong with them first.`,
      );
    const data = { ...samples[type], test: true };
    const event = { organizationId, type, data, isTest: true };
    const [row] = await sendToEndpoints(tx, context, [id], event);
    assert(row !== undefined, `no delivery was made for ${id}`);
    await audit.recordByCaller(tx, context, {
      action: "webhook_endpoint.tested",
      target: { type: "webhook_endpoint", id },
      details: { name: endpoint.name, event_type: type, event_id: row.event_id },
    });
    return toDelivery(row);
  });
}

export async function listDeliveries(
  { db, who }: Context,
  id: string,
): Promise<{ data: Delivery[] }> {
  const { organizationId } = who;
  await endpointOr404(db, organizationId, id);
  const rows = await queries.listDeliveries(db, organizationId, id, limits.deliveriesShown);
  return { data: rows.map(toDelivery) };
}

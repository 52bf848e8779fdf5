// Test events, what became of the last deliveries, and one that is sent again: for the person who sets an endpoint up.
import assert from "node:assert/strict";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import * as audit from "../../audit/module.ts";
import { expectAuditReader } from "../audit-events.ts";
import { deliver, putOnTheirWay, toDelivery } from "./deliver.ts";
import { endpointOr404 } from "../endpoints.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { lockEndpoint, type EndpointRow, type Owner } from "../queries.ts";
import type { AnyEventType } from "../event-types.ts";
import type { Delivery, SendTest } from "../schema.ts";

const enforcement = { id: "uprof_test", enforcement_action_id: "enac_test" };
const session = { id: "sesn_test" };
const thread = { ...session, session_thread_id: "sthr_test" };
const credential = { id: "vcrd_test", vault_id: "vlt_test" };

/** As the real ones look, of things that do not exist: by type, or by what it begins with. */
const samples: Readonly<Record<string, { id: string } & Record<string, unknown>>> = {
  "audit_event.": { id: "audit_test", action: "key.created", sequence: 1 },
  "external_key.": { id: "ekey_test" },
  "user_profile.enforcement_action_": enforcement,
  "user_profile.program_status_updated": { id: "uprof_test" },
  "session.thread_": thread,
  "session.": session,
  "agent.": { id: "agent_test" },
  "deployment.": { id: "depl_test" },
  "deployment_run.": { id: "drun_test" },
  "environment.": { id: "env_test" },
  "vault.": { id: "vlt_test" },
  "vault_credential.": credential,
  "memory_store.": { id: "memstore_test" },
};

function sampleOf({ workspaceId }: Owner, type: AnyEventType) {
  const [, sample] =
    Object.entries(samples).find(([beginning]) => type.startsWith(beginning)) ?? [];
  assert(sample !== undefined, `no sample of ${type}`);
  return workspaceId === null
    ? { ...sample, test: true }
    : { ...sample, workspace_id: workspaceId };
}

async function lockOr404(tx: Tx, owner: Owner, id: string): Promise<EndpointRow> {
  const endpoint = await lockEndpoint(tx, owner, id);
  if (endpoint === undefined) throw notFound("webhook endpoint", id);
  return endpoint;
}

function expectEnabled({ state }: EndpointRow, then: string): void {
  if (state === "disabled")
    throw invalid(`The webhook endpoint is disabled: enable it, then ${then}.`);
}

/** Rule WHK12. */
export async function sendTest(
  context: Context,
  owner: Owner,
  id: string,
  { event_type: wanted }: SendTest,
): Promise<Delivery> {
  const { organizationId } = owner;
  return context.db.tx(async (tx) => {
    const endpoint = await lockOr404(tx, owner, id);
    expectAuditReader(context, endpoint.enabled_events);
    expectEnabled(endpoint, "send a test event");
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
    const data = sampleOf(owner, type);
    const event = { organizationId, type, data, at: context.clock.now(), isTest: true };
    const [row] = await deliver(tx, context, [{ ...event, endpointIds: [id] }]);
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
  { db }: Context,
  owner: Owner,
  id: string,
): Promise<{ data: Delivery[] }> {
  await endpointOr404(db, owner, id);
  const rows = await queries.listDeliveries(db, owner.organizationId, id, limits.deliveriesShown);
  return { data: rows.map(toDelivery) };
}

/** Rule WHK20: the same event under the same id, by a delivery of its own. */
export async function replayDelivery(
  context: Context,
  owner: Owner,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<Delivery> {
  const { organizationId } = owner;
  return context.db.tx(async (tx) => {
    const endpoint = await lockOr404(tx, owner, endpointId);
    expectAuditReader(context, endpoint.enabled_events);
    const sent = await queries.findSent(tx, organizationId, { endpointId, id });
    if (sent === undefined) throw notFound("webhook delivery", id);
    expectEnabled(endpoint, "replay the delivery");
    const { event_id: eventId, event_type: eventType, is_test: isTest, body } = sent;
    if (sent.isOnItsWay)
      throw invalid(
        `The event ${eventId} is on its way to this endpoint already; wait until it is delivered or has failed.`,
      );
    const again = { id: context.ids.next("whdl_"), at: context.clock.now() };
    const delivery = { ...again, organizationId, endpointId, eventId, eventType, isTest, body };
    const [row] = await putOnTheirWay(tx, context, [delivery]);
    assert(row !== undefined, `no delivery was made for ${endpointId}`);
    await audit.recordByCaller(tx, context, {
      action: "webhook_endpoint.replayed",
      target: { type: "webhook_endpoint", id: endpointId },
      details: { name: endpoint.name, event_type: eventType, event_id: eventId },
    });
    return toDelivery(row);
  });
}

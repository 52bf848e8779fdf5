// Deliveries: what an event becomes for each endpoint that wants it, within the transaction that it happens in.
import assert from "node:assert/strict";
import type { World } from "../../../kernel/context.ts";
import { enqueueAll, type NewJob } from "../../../kernel/jobs/jobs.ts";
import { jobLimits } from "../../../kernel/jobs/limits.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { AnyEventType, EventType } from "../event-types.ts";
import * as queries from "./queries.ts";
import type { DeliveryRow } from "./queries.ts";
import { listWanting, listWantingOf } from "../queries.ts";
import type { Delivery } from "../schema.ts";

export const postKind = "webhooks.post";

export interface DeliveryPayload {
  organization_id: string;
  delivery_id: string;
  /** How many there were before it: of two jobs for one attempt the second does nothing. */
  attempts: number;
}

export interface WebhookEvent {
  organizationId: string;
  type: EventType;
  /** What it happened to, and what belongs to the type. */
  data: { id: string } & Record<string, unknown>;
}

/** Rule WHK6: one delivery for each enabled endpoint that wants the type, or none, with the caller's change. */
export async function emit(tx: Tx, world: World, event: WebhookEvent): Promise<void> {
  const wanting = await listWanting(tx, event.organizationId, event.type);
  const endpointIds = wanting.map(({ id }) => id);
  await deliver(tx, world, [{ ...event, endpointIds, at: world.clock.now() }]);
}

/** Events of many organizations, in the order in which they happened. */
export async function emitAll(
  tx: Tx,
  world: DeliveryWorld & Pick<World, "clock">,
  events: readonly WebhookEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const wanting = await listWantingOf(tx, {
    organizationIds: [...new Set(events.map(({ organizationId }) => organizationId))],
    types: [...new Set(events.map(({ type }) => type))],
  });
  const at = world.clock.now();
  const outgoing = events.map((event): Outgoing => ({
    ...event,
    at,
    endpointIds: wanting
      .filter(
        (each) =>
          each.organization_id === event.organizationId && each.enabled_events.includes(event.type),
      )
      .map(({ id }) => id),
  }));
  await deliver(tx, world, outgoing);
}

/** The same event for all of its endpoints. */
export interface Outgoing extends Omit<WebhookEvent, "type"> {
  type: AnyEventType;
  endpointIds: readonly string[];
  at: Date;
  isTest?: boolean;
}

type DeliveryWorld = Pick<World, "ids" | "hints">;

/** In two statements, however many there are. */
export async function deliver(
  tx: Tx,
  world: DeliveryWorld,
  events: readonly Outgoing[],
): Promise<DeliveryRow[]> {
  const { ids } = world;
  const deliveries = events.flatMap(({ endpointIds, ...event }): queries.NewDelivery[] => {
    const { organizationId, type: eventType, at, isTest = false } = event;
    const eventId = ids.next("evt_");
    const body = bodyOf(eventId, event);
    return endpointIds.map((endpointId) => {
      const id = ids.next("whdl_");
      return { id, organizationId, endpointId, eventId, eventType, isTest, body, at };
    });
  });
  return putOnTheirWay(tx, world, deliveries);
}

export async function putOnTheirWay(
  tx: Tx,
  world: DeliveryWorld,
  deliveries: readonly queries.NewDelivery[],
): Promise<DeliveryRow[]> {
  if (deliveries.length === 0) return [];
  const rows = await queries.insertDeliveries(tx, deliveries);
  assert.equal(rows.length, deliveries.length, "the insert of deliveries answered all of them");
  await enqueueDeliveries(tx, world, rows);
  return rows;
}

const bodyOf = (
  id: string,
  { organizationId, type, data, at }: Omit<Outgoing, "endpointIds">,
): string =>
  JSON.stringify({
    type: "event",
    id,
    created_at: at.toISOString(),
    data: { ...data, type, organization_id: organizationId },
  });

/** An attempt is never given up because processes died in the middle of it. */
const runsMax = 1_000;

export async function enqueueDeliveries(
  tx: Tx,
  world: DeliveryWorld,
  rows: readonly Pick<DeliveryRow, "id" | "organization_id" | "attempts">[],
  delayMs = 0,
): Promise<void> {
  const jobs = rows.map(({ id, organization_id, attempts }): NewJob => {
    const payload: DeliveryPayload = { organization_id, delivery_id: id, attempts };
    // Of one attempt: a job that waits for an earlier one must not stand for this.
    const key = `${id} ${attempts}`;
    return {
      kind: postKind,
      key,
      lane: organization_id,
      payload,
      delayMs,
      attemptsMax: runsMax,
    };
  });
  const size = jobLimits.jobsPerEnqueueMax;
  for (let first = 0; first < jobs.length; first += size)
    await enqueueAll(tx, world, jobs.slice(first, first + size));
}

/** Rule WHK11: of an endpoint that is disabled nothing is tried. */
export const pauseDeliveries = queries.pauseWaiting;

/** Rule WHK11: what waited is tried at once. */
export async function resumeDeliveries(
  tx: Tx,
  world: World,
  organizationId: string,
  endpointId: string,
): Promise<void> {
  const at = world.clock.now();
  const rows = await queries.resumeWaiting(tx, organizationId, endpointId, at);
  await enqueueDeliveries(tx, world, rows);
}

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  type: "webhook_delivery",
  event_id: row.event_id,
  event_type: row.event_type,
  is_test: row.is_test,
  state: row.state,
  attempts: row.attempts,
  created_at: row.created_at.toISOString(),
  attempted_at: row.attempted_at?.toISOString() ?? null,
  next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  status_code: row.status_code,
  error: row.error,
});

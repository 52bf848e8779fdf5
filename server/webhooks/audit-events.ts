// The audit log, told to endpoints of its organization: behind the commit, so that no change waits for a webhook.
import { forbidden } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import * as audit from "../audit/module.ts";
import { deliver, type Outgoing } from "./deliveries/deliver.ts";
import { auditEventType, type AnyEventType } from "./event-types.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { EndpointRow, ToldEndpoint } from "./queries.ts";

type TellingWorld = Pick<World, "clock" | "db" | "hints" | "ids">;

/** Rule WHK23: of an endpoint as it is, and as it shall be. */
export function expectAuditReader(
  { who }: Context,
  ...enabledEvents: readonly (readonly AnyEventType[])[]
): void {
  const isOfAudit = enabledEvents.some((types) => types.includes(auditEventType));
  if (isOfAudit && !who.permissions.has("audit:read"))
    throw forbidden(
      `${auditEventType} tells of the audit log: a webhook endpoint that takes it is made, changed, tested and deleted by those alone who may read the log, and this credential is without the permission audit:read.`,
    );
}

/**
 * Rule WHK22: up to where an endpoint is told, after a change of it. One that is told from now on hears what comes;
 * one that is told no more first gets what was committed by now.
 */
export async function auditSequenceAfter(
  tx: Tx,
  world: TellingWorld,
  before: EndpointRow | null,
  next: Pick<EndpointRow, "organization_id" | "state" | "enabled_events">,
): Promise<number | null> {
  if (next.state === "enabled" && next.enabled_events.includes(auditEventType))
    return before?.audit_sequence ?? (await audit.readHead(tx, next.organization_id))?.seq ?? 0;
  for (let told: ToldEndpoint | null = before; told !== null;) told = await tell(tx, world, told);
  return null;
}

/** In the order of the chain; answers the endpoint as it is then, or null where there was nothing left to tell. */
async function tell(
  tx: Tx,
  world: TellingWorld,
  { id, organization_id: organizationId, audit_sequence: seq }: ToldEndpoint,
): Promise<ToldEndpoint | null> {
  if (seq === null) return null;
  const rows = limits.auditEventsAtOnce;
  const events = await audit.listBehind(tx, organizationId, { seq, rows });
  const last = events.at(-1);
  if (last === undefined) return null;
  const at = world.clock.now();
  const outgoing = events.map((event): Outgoing => {
    const data = { id: event.id, action: event.action, sequence: event.seq };
    return { organizationId, type: auditEventType, data, endpointIds: [id], at };
  });
  await deliver(tx, world, outgoing);
  return { id, organization_id: organizationId, audit_sequence: last.seq };
}

/** Rule WHK22. Deliveries commit with how far the endpoint was told: each event becomes one, in whichever process. */
export async function tellAuditEvents(world: TellingWorld): Promise<void> {
  const { db } = world;
  let told: boolean;
  do {
    told = false;
    for (const found of await queries.listBehindAudit(db, limits.auditEndpointsAtOnce))
      if (await tellOne(world, found)) told = true;
  } while (told);
}

/** False where another transaction has it, which tells it or changes it: the next look finds what is left. */
const tellOne = (
  world: TellingWorld,
  { id, organization_id: organizationId }: ToldEndpoint,
): Promise<boolean> =>
  world.db.tx(async (tx) => {
    const endpoint = await queries.lockToldOfAudit(tx, organizationId, id);
    const next = endpoint && (await tell(tx, world, endpoint));
    if (next?.audit_sequence == null) return false;
    await queries.setAuditSequence(tx, organizationId, id, next.audit_sequence);
    return true;
  });

export const auditEventsPart = part("audit events for webhooks", {
  start: (world: World) =>
    every(world, limits.auditPollMs, {
      name: "telling webhooks of the audit log",
      act: () => tellAuditEvents(world),
    }),
});

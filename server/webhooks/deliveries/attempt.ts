// One attempt to deliver: the post, and what follows from how it went.
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import type { JobKind, JobRun } from "../../../kernel/jobs/run.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import { auditSequenceAfter } from "../audit-events.ts";
import { postKind, enqueueDeliveries, type DeliveryPayload } from "./deliver.ts";
import { attemptsMax, limits } from "../limits.ts";
import { findDue, noteAttempt, pauseWaiting, type DueRow } from "./queries.ts";
import * as queries from "../queries.ts";
import { headersOf } from "./signature.ts";

const attempting = {
  timeoutMs: 6 * limits.deliveryMs,
  run: (world: World, run: JobRun) => attempt(world, run as JobRun<DeliveryPayload>),
};

export const deliverKinds: readonly JobKind<World>[] = [
  {
    ...attempting,
    kind: postKind,
    concurrency: limits.deliveriesAtOnce,
    perLane: limits.deliveriesOfOrganizationAtOnce,
  },
  // As a process of an earlier version puts them in, while processes are replaced: without a lane.
  { ...attempting, kind: "webhooks.deliver" },
];

/** Rule WHK10: what went out is written down with the end of the job. A process that dies between does it again. */
async function attempt(world: World, run: JobRun<DeliveryPayload>): Promise<void> {
  const { organization_id: organizationId, delivery_id: id, attempts } = run.job.payload;
  const row = await findDue(world.db, organizationId, id);
  const isDue = row?.state === "waiting" && row.attempts === attempts;
  if (!isDue) return world.db.tx((tx) => run.finish(tx));
  const result = await post(world, row);
  await world.db.tx(async (tx) => {
    await run.finish(tx);
    await settle(tx, world, organizationId, row, result);
  });
}

interface PostResult {
  statusCode: number | null;
  /** Null when it was taken: a sentence without a subject. */
  error: string | null;
}

/** Rules WHK7 and WHK8. */
async function post(world: World, row: DueRow): Promise<PostResult> {
  try {
    const { status } = await fetchOutside(world, row.url, {
      method: "POST",
      headers: headersOf(world, row),
      body: row.body,
      bytesMax: 0,
      ignoresBody: true,
      timeoutMs: limits.deliveryMs,
    });
    return { statusCode: status, error: wordsOf(status) };
  } catch (error) {
    if (!(error instanceof OutsideFailure)) throw error;
    return { statusCode: null, error: error.message };
  }
}

function wordsOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `answered with a redirect (${status}), which is not followed.`
    : `answered with the status ${status}.`;
}

/** Rules WHK9 and WHK11. */
async function settle(
  tx: Tx,
  world: World,
  organizationId: string,
  row: DueRow,
  { statusCode, error }: PostResult,
): Promise<void> {
  const at = world.clock.now();
  const how = { at, statusCode, error, nextAttemptAt: null };
  if (error === null) {
    await noteAttempt(tx, organizationId, row, { ...how, state: "delivered" });
    return;
  }
  // Before the rows of its deliveries: a change of the endpoint locks in that order too.
  const owner = { organizationId, workspaceId: row.workspace_id };
  const endpoint = await queries.lockEndpoint(tx, owner, row.endpoint_id);
  const isOn = endpoint?.state === "enabled";
  const pauseMs = limits.pausesMs[row.attempts];
  if (pauseMs === undefined) {
    const isOurs = await noteAttempt(tx, organizationId, row, { ...how, state: "failed" });
    if (isOurs && isOn) await disable(tx, world, endpoint, { row, error, at });
    return;
  }
  const nextAttemptAt = isOn ? new Date(at.getTime() + pauseMs) : null;
  const again = { ...how, state: "waiting", nextAttemptAt } as const;
  if (!(await noteAttempt(tx, organizationId, row, again)) || !isOn) return;
  await enqueueDeliveries(tx, world, [{ ...row, attempts: row.attempts + 1 }], pauseMs);
}

const system: audit.AuditActor = {
  type: "system",
  id: null,
  name: null,
  address: "",
  requestId: null,
};

async function disable(
  tx: Tx,
  world: World,
  endpoint: queries.EndpointRow,
  { row, error, at }: { row: DueRow; error: string; at: Date },
): Promise<void> {
  const { id, organization_id: organizationId, workspace_id: workspaceId, name } = endpoint;
  const reason = `All ${attemptsMax} attempts to deliver the event ${row.event_id} (${row.event_type}) failed. The last time the address ${error}`;
  const disabled = { ...endpoint, state: "disabled", disabled_reason: reason, at } as const;
  const audit_sequence = await auditSequenceAfter(tx, world, endpoint, disabled);
  const change = { ...disabled, audit_sequence };
  await queries.updateEndpoint(tx, { organizationId, workspaceId }, id, change);
  await pauseWaiting(tx, organizationId, id);
  await audit.record(tx, world, system, {
    organizationId,
    action: "webhook_endpoint.disabled",
    target: { type: "webhook_endpoint", id },
    details: { name, reason },
  });
}

// One request of a batch: read, attempted, and written as a line.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor, Principal, World } from "../../../kernel/context.ts";
import { parseOriginalBody, type OriginalBody } from "../../../kernel/http/input/body.ts";
import { envelope, toFailure } from "../../../kernel/http/output/envelope.ts";
import { LeaseLost } from "../../../kernel/work/lease.ts";
import { modelsOfPerson } from "../../groups/module.ts";
import {
  answerInBatch,
  BatchAccounting,
  errorWord,
  type SettledHop,
} from "../../messages/module.ts";
import { catalogOf } from "../../models/module.ts";
import { requestLogOf, type LoggedRequest } from "../../requests/module.ts";
import { limits } from "../limits.ts";
import { resultLineOf } from "../results/result-lines.ts";
import type { ConcurrencyLimit, UpstreamSignal } from "../pacing/concurrency-limit.ts";
import type { Attempt, ClaimedBatch } from "../items/claimed-batch.ts";
import type { ChunkHolder, FinishedItem, Item, PreparedItem, WaitingItem } from "../items/items.ts";
import * as queries from "../queries-work.ts";
import type { BatchOwner } from "../queries-work.ts";
import { workLimits } from "./limits.ts";

export interface ConcurrencyLimits {
  /** Of the upstream with this name. */
  of(upstream: string): ConcurrencyLimit;
}

/** What is known to be wrong with a request before its params are read. */
export function faultBefore(
  world: World,
  batch: ClaimedBatch,
  waiting: WaitingItem,
): FinishedItem | undefined {
  const { position, chunk } = waiting;
  const { row } = chunk;
  const fault = row.faults?.[position];
  const refuse = refusal(world, batch, waiting);
  if (typeof fault === "string") return refuse(new Failure(wrong, fault));
  const brokenOff = brokenOffResult(world, batch, waiting);
  if (brokenOff !== undefined) return brokenOff;
  const length = row.lengths[position] ?? 0;
  if (length <= limits.paramsBytesMax) return undefined;
  return refuse(new Failure(wrong, tooLong(length), { status: 413 }));
}

/** Rule MCM26: the process that called its servers' tools has died or been stopped, and its answer with it. */
export function brokenOffResult(
  world: World,
  batch: ClaimedBatch,
  waiting: WaitingItem,
): FinishedItem | undefined {
  const { position, chunk } = waiting;
  const isMarked = typeof chunk.row.faults?.[position] === "object";
  if (!isMarked) return undefined;
  return refusal(world, batch, waiting)(new Failure("api_error", brokenOff));
}

const brokenOff =
  "The process that worked on this request ended after it had begun to call tools of its MCP servers, and before the answer was kept. They are not called a second time: look at the servers for what became of it, and send the request in a new batch if it is to be made again.";

/** Read from its chunk's content; or its result, where there is nothing to attempt. */
export function prepareItem(
  world: World,
  batch: ClaimedBatch,
  concurrencyLimits: ConcurrencyLimits,
  { waiting, content }: { waiting: WaitingItem; content: Buffer },
): { item: PreparedItem; original: OriginalBody } | { finished: FinishedItem } {
  const { chunk, position } = waiting;
  const length = chunk.row.lengths[position] ?? 0;
  const start = chunk.starts[position] ?? 0;
  const bytes = content.subarray(start, start + length);
  try {
    const original = parseOriginalBody(bytes);
    const { value } = original;
    const name = (value as { model?: unknown } | null)?.model;
    const model = typeof name === "string" ? catalogOf(world).resolve(name) : undefined;
    const concurrencyLimit = model && concurrencyLimits.of(model.upstream);
    return { item: { ...waiting, bytes, concurrencyLimit }, original };
  } catch (error) {
    return { finished: refusal(world, batch, waiting)(toFailure(error)) };
  }
}

const wrong = "invalid_request_error";
const tooLong = (length: number) =>
  `params: has ${length} bytes; a request takes at most ${limits.paramsBytesMax}.`;

/** The result of an item that no model is asked about. */
const refusal =
  (world: World, { id, owner }: ClaimedBatch, item: Item) =>
  (failure: Failure): FinishedItem => {
    const requestId = world.ids.next("req_");
    const actor = { ...world, requestId, notes: {}, who: principalOf(owner) };
    const logged = loggedItem(actor, id, { startMs: world.clock.monotonicMs(), failure });
    const result = { type: "errored" as const, error: envelope(failure, requestId) };
    return finishedItemOf(item, result, { ...noCost, logged });
  };

/** What has its result without being attempted. */
export const unattempted = (item: Item, type: "canceled" | "expired"): FinishedItem =>
  finishedItemOf(item, { type });

function finishedItemOf(
  { chunk, position }: Item,
  result: Parameters<typeof resultLineOf>[1],
  { settledHops, logged }: { settledHops: readonly SettledHop[]; logged?: LoggedRequest } = noCost,
): FinishedItem {
  const customId = chunk.row.customIds[position] ?? "";
  return {
    chunk,
    position,
    customId,
    type: result.type,
    isRefusal: result.type === "succeeded" && result.message.stop_reason === "refusal",
    line: resultLineOf(customId, result),
    settledHops,
    logged,
  };
}

const noCost = { settledHops: [] };

export type AttemptOutcome =
  | { how: "finished"; finished: FinishedItem }
  /** Another attempt, after this pause; so many count by then. */
  | { how: "again"; pauseMs: number; attempts: number }
  /** Ended from outside. */
  | { how: "aborted" };

export interface AttemptReport {
  outcome: AttemptOutcome;
  upstreamSignal: UpstreamSignal;
  retryAfterMs: number;
}

/** Never throws. */
export async function attemptItem(
  world: World,
  holder: ChunkHolder,
  attempt: Attempt,
): Promise<AttemptReport> {
  const { batch, item, signal } = attempt;
  const accounting = new BatchAccounting();
  let hasCalled = false;
  const beforeCalls = async () => {
    await markToolCalls(world, holder, item);
    hasCalled = true;
  };
  const actor = actorOf(world, batch, signal);
  const { settledHops } = accounting;
  const startMs = world.clock.monotonicMs();
  const takeLogged = (failure?: Failure) => loggedItem(actor, batch.id, { startMs, failure });
  const span = world.instruments.tracer?.begin({
    name: "batch item",
    kind: "internal",
    id: actor.requestId,
    attributes: { "plinth.batch_id": batch.id, "plinth.workspace_id": batch.owner.workspaceId },
  });
  try {
    const incoming = attempt.original ?? parseOriginalBody(item.bytes);
    attempt.original = undefined;
    await limitModels(actor);
    const message = await answerInBatch(actor, incoming, accounting, beforeCalls);
    const result = { type: "succeeded" as const, message };
    const finished = finishedItemOf(item, result, { settledHops, logged: takeLogged() });
    span?.end();
    return { outcome: { how: "finished", finished }, upstreamSignal: "answered", retryAfterMs: 0 };
  } catch (error) {
    const failure = toFailure(error);
    const logged = takeLogged(failure);
    span?.end({ error: errorWord(error) });
    if (signal.aborted || error instanceof LeaseLost)
      return { outcome: { how: "aborted" }, upstreamSignal: "nothing", retryAfterMs: 0 };
    if (failure !== error)
      world.logger.error({ request_id: actor.requestId, error }, "a request of a batch failed");
    const retryAfterMs = retryAfterOf(failure, world.clock.now());
    const about = { upstreamSignal: signalOf(failure), retryAfterMs };
    const mayBegin = failure === error && !hasCalled;
    const again = mayBegin ? pauseAfter(world, item, failure, retryAfterMs) : undefined;
    if (again !== undefined) return { outcome: { how: "again", ...again }, ...about };
    const result = { type: "errored" as const, error: envelope(failure, actor.requestId) };
    const finished = finishedItemOf(item, result, { settledHops, logged });
    return { outcome: { how: "finished", finished }, ...about };
  }
}

/** Of an attempt that is over, of which only the last one's is kept; or of an item that is not attempted. */
const loggedItem = (
  actor: World & Pick<Actor, "requestId" | "notes" | "who">,
  batchId: string,
  { startMs, failure }: { startMs: number; failure: Failure | undefined },
): LoggedRequest =>
  requestLogOf(actor).take({
    requestId: actor.requestId,
    notes: actor.notes,
    who: actor.who,
    origin: "batch",
    operation: "batches.item",
    method: null,
    path: null,
    status: failure?.status ?? 200,
    failure,
    startMs,
    endMs: actor.clock.monotonicMs(),
    batchId,
  });

/** Nothing is called for an item that another process has by now: it may be called for there. */
const markToolCalls = ({ db }: World, holder: ChunkHolder, { chunk, position }: Item) =>
  db.tx(async (tx) => {
    const ours = await holder.fenceAll(tx, [chunk.held]);
    if (!ours.has(chunk.held)) throw new LeaseLost("batch_chunks", chunk.held.lease);
    await queries.markToolCalls(tx, chunk.held.lease.id, position);
  });

/** Undefined: another attempt would end the same way. What is not the upstream's doing does not count. */
function pauseAfter(
  { random }: World,
  { attempts: before }: PreparedItem,
  failure: Failure,
  retryAfterMs: number,
): { pauseMs: number; attempts: number } | undefined {
  const { status, options } = failure;
  const isTransient = status === 408 || status === 429 || status >= 500;
  if (!isTransient || options.headers?.["x-should-retry"] === "false") return undefined;
  const jitter = 0.75 + random.fraction() / 2;
  if (/^(database|ledger)_/.test(options.code ?? ""))
    return { pauseMs: workLimits.awayMs * jitter, attempts: before };
  const attempts = before + 1;
  if (attempts >= workLimits.attemptsMax) return undefined;
  const pauseMs = workLimits.retryMs * 2 ** (attempts - 1) * jitter;
  const askedMs = Math.min(retryAfterMs, workLimits.retryAfterMsMax);
  return { pauseMs: Math.max(pauseMs, askedMs), attempts };
}

/** What broke says nothing of its upstream: a request that breaks each time must not hold up others there. */
const signalOf = ({ options }: Failure): UpstreamSignal =>
  options.isUpstreamBusy === true ? "overloaded" : "nothing";

function retryAfterOf({ options: { headers = {} } }: Failure, now: Date): number {
  const ms = Number(headers["retry-after-ms"]);
  if (ms > 0) return ms;
  const after = headers["retry-after"];
  if (after === undefined) return 0;
  const seconds = Number(after);
  if (seconds > 0) return seconds * 1000;
  return Math.max(0, Date.parse(after) - now.getTime() || 0);
}

/** The batch's creator acts, with the betas that the batch was created with. */
function actorOf(world: World, { owner }: ClaimedBatch, signal: AbortSignal): Actor {
  return {
    ...world,
    requestId: world.ids.next("req_"),
    notes: {},
    betas: new Set(owner.betas),
    signal,
    who: principalOf(owner),
  };
}

function principalOf(owner: BatchOwner): Principal {
  const { organizationId, organizationType, workspaceId, credentialId, userId, keyMakerId } = owner;
  return {
    kind: "api_key",
    credentialId,
    organizationId,
    organizationType,
    workspaceId,
    userId,
    ...(keyMakerId !== null && { keyMakerId }),
    name: "a batch",
    permissions: noPermissions,
  };
}

/** Rule GRP16: to the models that the batch's creator may use now. */
async function limitModels(actor: Actor): Promise<void> {
  const { organizationId, userId } = actor.who;
  if (userId === null) return;
  const models = await modelsOfPerson(actor, organizationId, userId);
  if (models !== undefined) actor.who = { ...actor.who, models };
}

const noPermissions: ReadonlySet<string> = new Set();

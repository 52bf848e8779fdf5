// One request of a batch: read, attempted, and written as a line.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor, World } from "../../../kernel/context.ts";
import { parseOriginalBody } from "../../../kernel/http/input/body.ts";
import { envelope, toFailure } from "../../../kernel/http/output/envelope.ts";
import { modelsOfPerson } from "../../groups/module.ts";
import { answerInBatch, BatchAccounting, type SettledHop } from "../../messages/module.ts";
import { catalogOf } from "../../models/module.ts";
import { limits } from "../limits.ts";
import { resultLineOf } from "../results/result-lines.ts";
import type { ConcurrencyLimit, UpstreamSignal } from "../pacing/concurrency-limit.ts";
import type {
  Chunk,
  FinishedItem,
  ClaimedBatch,
  PreparedItem,
  RequeuedItem,
} from "./claimed-batches.ts";
import { workLimits } from "./limits.ts";

export interface ConcurrencyLimits {
  /** Of the upstream with this name. */
  of(upstream: string): ConcurrencyLimit;
}

/** What is known to be wrong with a request before its params are read. */
export function faultBefore(
  world: World,
  chunk: Chunk,
  position: number,
): FinishedItem | undefined {
  const { row } = chunk;
  const fault = row.faults?.[position];
  if (fault !== undefined) return failed(world, chunk, position, new Failure(wrong, fault));
  const length = row.lengths[position] ?? 0;
  if (length <= limits.paramsBytesMax) return undefined;
  return failed(world, chunk, position, new Failure(wrong, tooLong(length), { status: 413 }));
}

/** Read from its chunk; or its result, where there is nothing to attempt. */
export function prepareItem(
  world: World,
  concurrencyLimits: ConcurrencyLimits,
  chunk: Chunk,
  { position, attempts, dueMs }: RequeuedItem,
): PreparedItem | FinishedItem {
  const { row, starts } = chunk;
  const customId = row.customIds[position] ?? "";
  const length = row.lengths[position] ?? 0;
  const start = starts[position] ?? 0;
  const bytes = (chunk.content as Buffer).subarray(start, start + length);
  try {
    const original = parseOriginalBody(bytes);
    const { value } = original;
    const name = (value as { model?: unknown } | null)?.model;
    const model = typeof name === "string" ? catalogOf(world).resolve(name) : undefined;
    const concurrencyLimit = model && concurrencyLimits.of(model.upstream);
    return {
      chunk,
      position,
      customId,
      bytes,
      original,
      concurrencyLimit,
      attempts,
      dueMs,
      abort: undefined,
    };
  } catch (error) {
    return failed(world, chunk, position, toFailure(error));
  }
}

const wrong = "invalid_request_error";
const tooLong = (length: number) =>
  `params: has ${length} bytes; a request takes at most ${limits.paramsBytesMax}.`;

function failed(world: World, chunk: Chunk, position: number, failure: Failure): FinishedItem {
  const error = envelope(failure, world.ids.next("req_"));
  return finishedItemOf(chunk, position, { type: "errored", error });
}

/** What has its result without being attempted. */
export const unattempted = (
  chunk: Chunk,
  position: number,
  type: "canceled" | "expired",
): FinishedItem => finishedItemOf(chunk, position, { type });

function finishedItemOf(
  chunk: Chunk,
  position: number,
  result: Parameters<typeof resultLineOf>[1],
  settledHops: readonly SettledHop[] = [],
): FinishedItem {
  const { row } = chunk;
  const customId = row.customIds[position] ?? "";
  return {
    chunk,
    index: row.firstIndex + position,
    customId,
    type: result.type,
    line: resultLineOf(customId, result),
    settledHops,
  };
}

export type AttemptOutcome =
  | { how: "finished"; finished: FinishedItem }
  /** Another attempt, after this pause. */
  | { how: "again"; pauseMs: number }
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
  item: PreparedItem,
  signal: AbortSignal,
): Promise<AttemptReport> {
  const { chunk, position } = item;
  const accounting = new BatchAccounting();
  const actor = actorOf(world, chunk.batch, signal);
  try {
    // Not kept while the answer is awaited; read again for another attempt.
    const incoming = item.original ?? parseOriginalBody(item.bytes);
    item.original = undefined;
    await limitModels(actor);
    const message = await answerInBatch(actor, incoming, accounting);
    const finished = finishedItemOf(
      chunk,
      position,
      { type: "succeeded", message },
      accounting.settledHops,
    );
    return { outcome: { how: "finished", finished }, upstreamSignal: "answered", retryAfterMs: 0 };
  } catch (error) {
    if (signal.aborted)
      return { outcome: { how: "aborted" }, upstreamSignal: "nothing", retryAfterMs: 0 };
    const failure = toFailure(error);
    if (failure !== error)
      world.logger.error({ request_id: actor.requestId, error }, "a request of a batch failed");
    const retryAfterMs = retryAfterOf(failure, world.clock.now());
    const about = { upstreamSignal: signalOf(failure), retryAfterMs };
    const pauseMs = failure === error ? pauseAfter(world, item, failure, retryAfterMs) : undefined;
    if (pauseMs !== undefined) return { outcome: { how: "again", pauseMs }, ...about };
    const result = { type: "errored" as const, error: envelope(failure, actor.requestId) };
    const finished = finishedItemOf(chunk, position, result, accounting.settledHops);
    return { outcome: { how: "finished", finished }, ...about };
  }
}

/** Undefined: another attempt would end the same way. What is not the upstream's doing does not count. */
function pauseAfter(
  { random }: World,
  item: PreparedItem,
  failure: Failure,
  retryAfterMs: number,
): number | undefined {
  const { status, options } = failure;
  const isTransient = status === 408 || status === 429 || status >= 500;
  if (!isTransient || options.headers?.["x-should-retry"] === "false") return undefined;
  const jitter = 0.75 + random.fraction() / 2;
  if (/^(database|ledger)_/.test(options.code ?? "")) return workLimits.awayMs * jitter;
  item.attempts += 1;
  if (item.attempts >= workLimits.attemptsMax) return undefined;
  const pauseMs = workLimits.retryMs * 2 ** (item.attempts - 1) * jitter;
  return Math.max(pauseMs, Math.min(retryAfterMs, workLimits.retryAfterMsMax));
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
  const { organizationId, organizationType, workspaceId, credentialId, userId, keyMakerId } = owner;
  return {
    ...world,
    requestId: world.ids.next("req_"),
    betas: new Set(owner.betas),
    signal,
    who: {
      kind: "api_key",
      credentialId,
      organizationId,
      organizationType,
      workspaceId,
      userId,
      ...(keyMakerId !== null && { keyMakerId }),
      name: "a batch",
      permissions: noPermissions,
    },
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

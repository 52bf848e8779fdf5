// One hop: admitted, reserved, attempted, and in the end settled, once, whatever happened.
import type { Failure } from "../../kernel/base/failure.ts";
import type { Statement } from "../../kernel/sql/statement.ts";
import type { Hop } from "../fallbacks/module.ts";
import * as fallbacks from "../fallbacks/module.ts";
import type { Admission } from "../limits/module.ts";
import {
  catalogOf,
  tokensOfBody,
  type Attempt,
  type MessageBody,
  type TokenCounts,
  type Usage,
} from "../models/module.ts";
import { priceOf, type Settlement } from "../usage/module.ts";
import {
  cacheLookup,
  cacheStatement,
  measureCache,
  planCache,
  settleCache,
  usageOf,
  usesCache,
  type CachePlan,
} from "./cache.ts";
import type { Entry } from "./cache-queries.ts";
import { classifyInput, refusedMessage } from "./classify.ts";
import { askGuard } from "./guard.ts";
import { reportedCounts } from "./reported.ts";
import { isOriginal, type Turn } from "./turn.ts";
import { measureOf, warmBefore } from "./warm.ts";
import { workspaceOf } from "../workspaces/module.ts";

export interface Running {
  hop: Hop;
  id: string;
  attempt: Exclude<Attempt, { kind: "failure" }>;
  admission: Admission;
  /** What the hop before had in its cache: repriced here, as a credit would. */
  warm: readonly fallbacks.CacheBreakpoint[];
  cache: { plan: CachePlan; found: ReadonlyMap<string, Entry>; now: Date } | undefined;
  isSettled: boolean;
  /** What went out where it was a continuation; else the hop's own body, which need not be kept for this. */
  continued?: MessageBody;
}

const nothing: TokenCounts = {
  input: 0,
  output: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
};

/** Throws the failure of an attempt that gave no output: settled at zero. */
export async function beginHop(
  turn: Turn,
  hop: Hop,
  body: MessageBody,
  options: { stream: boolean; abort: AbortController; warm?: Running["warm"] },
): Promise<Running> {
  const { context, books } = turn;
  const { model } = hop;
  const inputTokens = estimateOf(turn, hop, body);
  const outputTokensMax = Math.max(body.max_tokens, 0);
  const reserve = { ...nothing, input: inputTokens, output: outputTokensMax };
  const reserveNano = priceOf(model.prices, reserve, { batch: books.isBatch });
  const asked = { model, inputTokens, outputTokensMax, reserveNano };
  const admission = await books.admit(context, asked);
  const id = context.ids.next("hop_");
  const opened = openRow(turn, hop, body, { id, reserveNano });
  const cached = lookUpCache(turn, hop, body);
  const { stream, abort } = options;
  const attempted = attempt(turn, hop, body, { stream, signal: abort.signal });
  try {
    // No event is relayed before the reservation is durable; a whole answer waits for its settlement instead.
    const [attempt, cache] = await Promise.all([
      stream ? attempted : Promise.race([attempted, failedOpen(opened)]),
      cached,
      stream ? opened : undefined,
    ]);
    if (attempt.kind === "failure") throw attempt.failure;
    const { warm = [] } = options;
    return { hop, id, attempt, admission, warm, cache, isSettled: false };
  } catch (error) {
    abort.abort(unwanted);
    await closeUnused(turn, id, admission, opened);
    throw error;
  }
}

/** Settles only where the reservation fails. */
const failedOpen = (opened: Promise<void>) =>
  new Promise<never>((_, reject) => void opened.catch(reject));

/** Made once: an abort without a reason makes an exception with a stack, 5 µs each. */
const unwanted = new Error("nobody wants this attempt any more");

/** Ends with the signal, or on its own; a fifth of what AbortSignal.any costs. */
export function linkedTo(signal: AbortSignal): AbortController {
  const abort = new AbortController();
  if (signal.aborted) abort.abort(unwanted);
  else signal.addEventListener("abort", () => abort.abort(unwanted), { once: true });
  return abort;
}

/** The classifiers of the model first: what they refuse, the model never sees. */
async function attempt(
  turn: Turn,
  hop: Hop,
  body: MessageBody,
  { stream, signal }: { stream: boolean; signal: AbortSignal },
): Promise<Attempt> {
  const { context, betas } = turn;
  const { model } = hop;
  const { requestId } = context;
  const { guard } = model;
  const refusal =
    classifyInput(model, body) ??
    (guard === null ? undefined : await askGuard(turn, guard, body, signal));
  if (refusal !== undefined) {
    const message = refusedMessage(context.ids.next("msg_"), model, refusal);
    return { kind: "message", message, raw: "" };
  }
  const original = isOriginal(turn, hop, body) ? { original: turn.original } : {};
  const request = { model, body, stream, betas, requestId, signal, ...original };
  const attempted = catalogOf(context).adapterOf(model).attempt(request);
  // Most turns never look at it again.
  turn.sent.letGo();
  return attempted;
}

/** A row that was never opened has nothing to close. */
async function closeUnused(
  { context, books }: Turn,
  id: string,
  admission: Admission,
  opened: Promise<void>,
): Promise<void> {
  const isOpen = await opened.then(
    () => true,
    () => false,
  );
  const settlement = { counts: nothing, amountNano: 0, listAmountNano: 0, estimated: false };
  const ledger = books.ledger(context);
  if (isOpen) await ledger.close(id, { ...settlement, outcome: "failed" });
  else await ledger.gone(id);
  admission.settle({ inputTokens: 0, outputTokens: 0, nano: 0 });
}

function openRow(
  { context, books }: Turn,
  { model }: Hop,
  { speed, inference_geo: geo }: MessageBody,
  reserved: { id: string; reserveNano: number },
) {
  const { who } = context;
  return books.ledger(context).open({
    ...reserved,
    requestId: context.requestId,
    organizationId: who.organizationId,
    workspaceId: workspaceOf(context),
    credentialId: who.credentialId,
    userId: who.userId ?? who.serviceAccountId ?? null,
    model: model.id,
    upstream: model.upstream,
    at: context.clock.now(),
    kind: books.isBatch ? "batch" : "message",
    speed: speed ?? null,
    inferenceGeo: typeof geo === "string" && /^[\w-]{1,32}$/.test(geo) ? geo : null,
    prices: model.prices,
  });
}

/** A quarter of the bytes: near enough for a reservation, and the text need not be walked for it. */
function estimateOf(turn: Turn, hop: Hop, body: MessageBody): number {
  if (isOriginal(turn, hop, body)) return Math.ceil(turn.original.bytes.length / 4);
  return tokensOfBody(body);
}

async function lookUpCache(
  turn: Turn,
  { model }: Hop,
  body: MessageBody,
): Promise<Running["cache"]> {
  if (model.reportsCache || !usesCache(body)) return undefined;
  const plan = planCache(body, model, measureCache(body, tokensOfBody(body)));
  if (plan === undefined) return undefined;
  const now = turn.context.clock.now();
  const found = await cacheLookup(turn.context.db, workspaceOf(turn.context), plan.keys, now);
  return { plan, found, now };
}

/** Tokens by class: the upstream's own numbers, or ours where it reports no cache; repriced by a credit. */
export function countsOf(turn: Turn, running: Running, usage: Usage): TokenCounts {
  const { cache } = running;
  const output = usage.output_tokens;
  const counts =
    cache === undefined
      ? reportedCounts(usage)
      : { ...settleCache(cache.plan, cache.found, cache.now, usage.input_tokens).counts, output };
  const warm = warmBefore(turn, running);
  if (warm.length === 0 || !fallbacks.isRepriceable(running.hop.model)) return counts;
  return fallbacks.reprice(counts, warm, measureOf(turn, running));
}

/** The usage that the client sees: the upstream's, with the input in our classes where we count them. */
export function shownUsage(turn: Turn, running: Running, usage: Usage): Usage {
  const isOurs =
    running.cache !== undefined || turn.credit !== undefined || running.warm.length > 0;
  const shown: Usage = isOurs ? { ...usage, ...usageOf(countsOf(turn, running, usage)) } : usage;
  return {
    ...shown,
    cache_creation_input_tokens: shown.cache_creation_input_tokens ?? 0,
    cache_read_input_tokens: shown.cache_read_input_tokens ?? 0,
    cache_creation: shown.cache_creation ?? null,
  };
}

export interface Ending {
  outcome: Settlement["outcome"];
  /** What is charged. */
  counts: TokenCounts;
  /** What was used, where that is more: it counts against the rates. */
  used?: TokenCounts;
  estimated?: boolean;
  /** Rows beside the cache's own. */
  with?: readonly (Statement | undefined)[];
}

/** Settles a hop; a second call does nothing. Resolves when it is durable. */
export async function settleHop(turn: Turn, running: Running, ending: Ending): Promise<void> {
  if (running.isSettled) return;
  running.isSettled = true;
  const { counts, outcome, estimated = false, used = counts } = ending;
  const { context, books } = turn;
  const { prices } = running.hop.model;
  const nano = priceOf(prices, counts, { batch: books.isBatch });
  const inputTokens = used.input + used.cacheWrite5m + used.cacheWrite1h;
  const { cache } = running;
  const remembered =
    cache !== undefined && nano > 0
      ? cacheStatement(
          workspaceOf(context),
          settleCache(cache.plan, cache.found, cache.now).rows,
          cache.now,
        )
      : undefined;
  const rows = [remembered, ...(ending.with ?? [])].filter((row) => row !== undefined);
  await books.ledger(context).close(running.id, {
    outcome,
    counts,
    amountNano: nano,
    listAmountNano: books.isBatch ? priceOf(prices, counts, { batch: false }) : nano,
    estimated,
    ...(rows.length > 0 && { with: rows }),
  });
  // Not before it is durable: what a crash would forget must stay taken out of the limits.
  running.admission.settle({ inputTokens, outputTokens: used.output, nano });
}

export const isFailure = (error: unknown): error is Failure =>
  error instanceof Error && error.name === "Failure";

export { nothing as noTokens };

// One hop begins: admitted, reserved, attempted; settled here where no answer comes.
import { isFailure } from "../../../kernel/base/failure.ts";
import type { Hop } from "../../fallbacks/module.ts";
import {
  noTokens,
  ignoredHeaders,
  newAttemptProgress,
  tokensOfBody,
  type Attempt,
  type AttemptRequest,
  type MessageBody,
} from "../../models/module.ts";
import { priceOf } from "../../usage/module.ts";
import { cacheLookup, measurePrompt, planCache, usesCache } from "../cache/cache.ts";
import { classifyInput, refusedMessage } from "./classify.ts";
import { refusalOfGuard } from "./guard.ts";
import { payerOf } from "./payer.ts";
import { usageFrom } from "./reported-usage.ts";
import type { AdmittedHop } from "./admitted-hop.ts";
import { countsOf, settleHop, type HopEnding } from "./settle-hop.ts";
import {
  isEndedByClient,
  canForwardOriginal,
  type PreparedRequest,
} from "../prepare/prepared-request.ts";
import type { HopBody } from "../prepare/hop-body.ts";
import { beginModelSpan, errorWord, sentTraceparent } from "./spans.ts";
import { sentBodyOf } from "./warm-cache.ts";
import { workspaceOf } from "../../workspaces/module.ts";

/** A hop whose model answers. */
export interface AnsweringHop extends AdmittedHop {
  attempt: Exclude<Attempt, { kind: "failure" }>;
  /** What was dropped of the request, as a header. */
  ignoredHeader: Record<string, string>;
}

export interface HopOptions {
  stream: boolean;
  /** Ends with the client. */
  abort: AbortController;
  warm?: AdmittedHop["warm"];
  /** The body goes on from partial answers: it is another than the hop's. */
  isContinued?: boolean;
}

/** Throws the failure of an attempt that gave no output, settled at zero, and the reason of a client that left. */
export async function beginHop(
  prepared: PreparedRequest,
  hop: Hop,
  body: HopBody,
  options: HopOptions,
): Promise<AnsweringHop> {
  const { actor, accounting } = prepared;
  const { model } = hop;
  const inputTokens = estimateOf(prepared, hop, body.get());
  const outputTokensMax = Math.max(body.get().max_tokens, 0);
  const reserve = { ...noTokens, input: inputTokens, output: outputTokensMax };
  const reserveNano = priceOf(model.prices, reserve, { batch: accounting.isBatch });
  const asked = { model, inputTokens, outputTokensMax, reserveNano };
  const admission = await accounting.admit(actor, asked);
  const id = actor.ids.next("hop_");
  const record = prepared.record.beginAttempt(model, actor.clock.monotonicMs());
  const opened = openRow(prepared, hop, body.get(), { id, reserveNano });
  const cached = lookUpCache(prepared, hop, body.get());
  const { stream, abort, warm = [] } = options;
  const span = beginModelSpan(actor, model, outputTokensMax);
  // Now: with the attempt the body is let go, and a long one would be read again.
  const ignoredHeader = ignoredHeaders(model, hop.body);
  const admitted: AdmittedHop = {
    hop,
    id,
    admission,
    outputTokensMax,
    progress: newAttemptProgress(),
    record,
    warm,
    cache: undefined,
    isSettled: false,
    span,
    continued: options.isContinued === true ? body.get() : undefined,
  };
  const attempted = attempt(prepared, hop, body, {
    stream,
    signal: abort.signal,
    progress: admitted.progress,
    record,
    traceparent: sentTraceparent(actor, span, model.upstream),
  });
  try {
    // No event is relayed before the reservation is durable; a whole answer waits for its settlement instead.
    const [attempt, cache] = await Promise.all([
      stream ? attempted : Promise.race([attempted, failedOpen(opened)]),
      cached,
      stream ? opened : undefined,
    ]);
    if (attempt.kind === "failure") throw attempt.failure;
    return { ...admitted, attempt, cache, ignoredHeader };
  } catch (error) {
    const hasLeft = abort.signal.aborted;
    record.why = hasLeft ? "client_gone" : errorWord(error);
    abort.abort(unwanted);
    if (!hasLeft) span?.end({ error: errorWord(error) });
    await closeUnanswered(prepared, admitted, { opened, attempted, cached, hasLeft });
    throw error;
  }
}

/** Settles only where the reservation fails. */
const failedOpen = (opened: Promise<void>) =>
  new Promise<never>((_, reject) => void opened.catch(reject));

/** Made once: an abort without a reason makes an exception with a stack, 5 µs each. */
const unwanted = new Error("nobody wants this attempt any more");

/** Ends with the signal, or by its own abort; a fifth of what AbortSignal.any costs. */
export function linkedTo(signal: AbortSignal): AbortController {
  const abort = new AbortController();
  if (signal.aborted) abort.abort(unwanted);
  else signal.addEventListener("abort", () => abort.abort(unwanted), { once: true });
  return abort;
}

/** The classifiers of the model first: what they refuse, the model never sees. */
async function attempt(
  prepared: PreparedRequest,
  hop: Hop,
  body: HopBody,
  asking: Pick<AttemptRequest, "stream" | "signal" | "traceparent"> &
    Pick<AdmittedHop, "progress" | "record">,
): Promise<Attempt> {
  const { actor, betas } = prepared;
  const { model } = hop;
  const { requestId } = actor;
  const { guard } = model;
  const refusal =
    classifyInput(model, body.get()) ??
    (guard === null ? undefined : await refusalOfGuard(prepared, guard, body.get(), asking.signal));
  if (refusal !== undefined) {
    const message = refusedMessage(actor.ids.next("msg_"), model, refusal);
    return { kind: "message", message, raw: "" };
  }
  const original = canForwardOriginal(prepared, hop, body.get()) ? prepared.original : undefined;
  const request = new HopRequest({ model, betas, requestId, ...asking }, original, body);
  asking.record.askedMs = actor.clock.monotonicMs();
  const attempted = prepared.catalog.adapterOf(model).attempt(request);
  // Most requests never look at it again.
  prepared.sent.letGo();
  body.letGo();
  return attempted;
}

/** What an adapter is asked; the body is read from where it can be let go. */
class HopRequest implements AttemptRequest {
  readonly model;
  readonly betas;
  readonly requestId;
  readonly stream;
  readonly signal;
  readonly progress;
  readonly traceparent;
  readonly original: AttemptRequest["original"];
  readonly #body: HopBody;

  constructor(
    facts: Omit<AttemptRequest, "body" | "original">,
    original: AttemptRequest["original"],
    body: HopBody,
  ) {
    this.model = facts.model;
    this.betas = facts.betas;
    this.requestId = facts.requestId;
    this.stream = facts.stream;
    this.signal = facts.signal;
    this.progress = facts.progress;
    this.traceparent = facts.traceparent;
    this.original = original;
    this.#body = body;
  }

  get body(): MessageBody {
    return this.#body.get();
  }
}

/** An attempt that gave no answer costs nothing, unless its client left while the upstream worked on it. */
async function closeUnanswered(
  prepared: PreparedRequest,
  admitted: AdmittedHop,
  how: {
    opened: Promise<void>;
    attempted: Promise<Attempt>;
    cached: Promise<AdmittedHop["cache"]>;
    hasLeft: boolean;
  },
): Promise<void> {
  const { opened, attempted, cached, hasLeft } = how;
  const isOpen = await opened.then(
    () => true,
    () => false,
  );
  // A row that was never opened has nothing to close.
  if (!isOpen) {
    await prepared.accounting.ledger(prepared.actor).whenWritten(admitted.id);
    admitted.admission.settle({ inputTokens: 0, outputTokens: 0, nano: 0 });
    admitted.span?.end({ error: "cut" });
    return;
  }
  const isLeft = hasLeft && isEndedByClient(prepared);
  let ending: HopEnding = { outcome: isLeft ? "cut" : "failed", counts: noTokens };
  try {
    if (isLeft && admitted.progress.isSent && !(await isRefused(attempted))) {
      admitted.cache = await cached.catch(() => undefined);
      ending = endingOfLeft(prepared, admitted);
    }
  } finally {
    // A row that stays open keeps its reservation.
    await settleHop(prepared, admitted, ending);
  }
}

/** The upstream, or a guard, had refused by then. */
const isRefused = (attempted: Promise<Attempt>) =>
  attempted.then(({ kind }) => kind === "failure", isFailure);

/** Of a client that left before the first word: what the upstream reads, by our count, and what it has written. */
function endingOfLeft(prepared: PreparedRequest, admitted: AdmittedHop): HopEnding {
  const { usage } = usageFrom(undefined, {
    input: () => tokensOfBody(sentBodyOf(prepared, admitted)),
    output: () => Math.min(admitted.progress.writtenTokens, admitted.outputTokensMax),
  });
  return { outcome: "cut", counts: countsOf(prepared, admitted, usage), estimated: true };
}

function openRow(
  { actor, accounting }: PreparedRequest,
  { model }: Hop,
  { speed, inference_geo: geo }: MessageBody,
  reserved: { id: string; reserveNano: number },
) {
  return accounting.ledger(actor).open({
    ...reserved,
    requestId: actor.requestId,
    at: actor.clock.now(),
    payer: {
      ...payerOf(actor, model, accounting),
      speed: speed ?? null,
      inferenceGeo: typeof geo === "string" && /^[\w-]{1,32}$/.test(geo) ? geo : null,
    },
  });
}

/** A quarter of the bytes: near enough for a reservation, and the text need not be walked for it. */
function estimateOf(prepared: PreparedRequest, hop: Hop, body: MessageBody): number {
  if (canForwardOriginal(prepared, hop, body)) return Math.ceil(prepared.original.bytes.length / 4);
  return tokensOfBody(body);
}

async function lookUpCache(
  prepared: PreparedRequest,
  { model }: Hop,
  body: MessageBody,
): Promise<AdmittedHop["cache"]> {
  if (model.reportsCache || !usesCache(body)) return undefined;
  const plan = planCache(body, model, measurePrompt(body, tokensOfBody(body)));
  if (plan === undefined) return undefined;
  const now = prepared.actor.clock.now();
  const found = await cacheLookup(prepared.actor.db, workspaceOf(prepared.actor), plan.keys, now);
  return { plan, found, now };
}

export const replyHeadersOf = ({
  admission,
  ignoredHeader,
}: AnsweringHop): Record<string, string> => ({
  ...admission.headers,
  ...ignoredHeader,
});

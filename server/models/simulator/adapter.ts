// The simulator as an upstream: a model that needs nothing and always answers the same.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { Clock } from "../../../kernel/base/clock.ts";
import { Failure, invalid, type FailureType } from "../../../kernel/base/failure.ts";
import type { Ids } from "../../../kernel/base/ids.ts";
import type { UpstreamMeter } from "../../../kernel/observe/models/instruments.ts";
import { accumulate, asWireEvent } from "../stream-events.ts";
import { tokensOfBody } from "../tokens.ts";
import type { Adapter, Attempt, AttemptRequest, MessageBody, WireEvent } from "../types.ts";
import { readConversation } from "./conversation.ts";
import { readDirectives, type FailDirective, type Script } from "../steering/directives.ts";
import { healthRecord, type HealthRecord } from "../health/record.ts";
import { eventsOf, messageOf, type Opening } from "./events.ts";
import { isOwnSignature, planAnswer, signatureOf, type AnswerPlan } from "./plan.ts";
import { scriptFor, type Scenario } from "../steering/scenario.ts";

export interface SimulatorOptions {
  clock: Clock;
  ids: Ids;
  meter?: UpstreamMeter;
  scenario?: Scenario;
}

/** Events that go out together where nothing slows them down. */
const eventsPerBatch = 64;
/** At a given rate, pauses are no shorter than this: timers have whole milliseconds. */
const pauseMsMin = 10;
/** How many bodies have their attempts counted; the oldest are forgotten first. */
const countedBodiesMax = 10_000;

/** One answer on its way. */
interface Run {
  request: Omit<AttemptRequest, "body">;
  speed: string | null;
  plan: AnswerPlan;
  inputTokens: number;
  rate: number | undefined;
  breakAfter: FailDirective | undefined;
}

export function makeSimulator(options: SimulatorOptions): Adapter {
  const attempts = new Map<string, number>();

  const isDue = ({ times }: FailDirective, body: MessageBody) =>
    times === undefined || countAttempt(attempts, body) <= times;

  async function attempt(request: AttemptRequest): Promise<Attempt> {
    const { body, model, stream, signal } = request;
    signal.throwIfAborted();
    if (request.progress !== undefined) request.progress.isSent = true;
    const inputTokens = tokensOfBody(body);
    const wrong = faultOf(request, inputTokens);
    if (wrong !== undefined) return { kind: "failure", failure: wrong };
    const conversation = readConversation(body.messages);
    const script = withGrade(scriptFor(options.scenario ?? [], conversation), body);
    const fail = script.fail.find((each) => isDue(each, body));
    if (fail !== undefined && fail.after === undefined)
      return { kind: "failure", failure: failureOf(fail) };
    const plan = planAnswer(model, body, conversation, script);
    const speed = body.speed ?? null;
    const run = { request, speed, plan, inputTokens, rate: script.rate, breakAfter: fail };
    if (stream) return { kind: "stream", events: batches(run, options) };
    return whole(run, options);
  }

  const health = healthRecord(options.clock, options.meter);
  return {
    attempt: (request) => watched(() => attempt(request), options.clock, health),
    health: health.read,
    underWay: health.open,
    mayBeOwnThought: isOwnSignature,
    countTokens: async ({ body }) => {
      const wrong = changedThought(body);
      if (wrong !== undefined) throw wrong;
      return tokensOfBody(body);
    },
    close: () => Promise.resolve(),
  };
}

/** A rubric may stand in the system prompt; what the last user turn says goes before it. */
function withGrade(script: Script, { system = "" }: MessageBody): Script {
  if (script.grade !== undefined) return script;
  const texts = typeof system === "string" ? [system] : system.map(({ text }) => String(text));
  const marked = texts.filter((text) => text.includes("[["));
  if (marked.length === 0) return script;
  const { grade } = readDirectives(marked.join("\n")).script;
  return grade === undefined ? script : { ...script, grade };
}

/** Records the outcome that the script asks for. */
async function watched(
  attempt: () => Promise<Attempt>,
  clock: Clock,
  health: HealthRecord,
): Promise<Attempt> {
  const startedMs = clock.monotonicMs();
  health.opened();
  let result: Attempt;
  try {
    result = await attempt();
  } finally {
    health.closed();
  }
  if (result.kind === "failure") {
    const { status } = result.failure;
    if (status >= 500 || status === 429) health.failed(`status ${status}`);
    else health.succeeded();
    return result;
  }
  health.began(clock.monotonicMs() - startedMs);
  if (result.kind === "stream")
    return { ...result, events: watchedEvents(result.events, health, startedMs) };
  health.succeeded(startedMs);
  return result;
}

async function* watchedEvents(
  events: AsyncIterable<readonly WireEvent[]>,
  health: HealthRecord,
  startedMs: number,
) {
  let failure: Failure | undefined;
  health.opened();
  try {
    yield* events;
  } catch (error) {
    if (error instanceof Failure) failure = error;
    throw error;
  } finally {
    health.closed();
    if (failure === undefined) health.succeeded(startedMs);
    else health.failed(`status ${failure.status}`);
  }
}

/** Without a stream it is the same answer, added up; at the script's rate, where it has one. */
async function whole(run: Run, options: SimulatorOptions): Promise<Attempt> {
  if (run.rate === undefined && run.breakAfter === undefined)
    return { kind: "message", message: messageOf(run.plan, openingOf(run, options)) };
  const sum = accumulate();
  try {
    for await (const batch of batches(run, options)) for (const each of batch) sum.add(each.data());
  } catch (error) {
    if (error instanceof Failure) return { kind: "failure", failure: error };
    throw error;
  }
  const message = sum.message();
  assert(message !== undefined, "the simulator ended without a message");
  return { kind: "message", message };
}

const openingOf = ({ request, speed, inputTokens }: Run, { ids }: SimulatorOptions): Opening => ({
  id: ids.next("msg_"),
  model: request.model.id,
  inputTokens,
  speed,
});

async function* batches(run: Run, options: SimulatorOptions): AsyncGenerator<readonly WireEvent[]> {
  const { plan, rate, breakAfter } = run;
  const { signal, progress } = run.request;
  const { clock } = options;
  const startedMs = clock.monotonicMs();
  let batch: WireEvent[] = [];
  for (const { event, tokens } of eventsOf(plan, openingOf(run, options))) {
    const { after } = breakAfter ?? {};
    const isOver = after !== undefined && (tokens > after || event.type === "message_delta");
    const dueMs = rate === undefined ? 0 : startedMs + (tokens * 1_000) / rate;
    const waitMs = rate === undefined ? 0 : dueMs - clock.monotonicMs();
    if (batch.length > 0 && (isOver || waitMs >= pauseMsMin || batch.length >= eventsPerBatch)) {
      yield batch;
      batch = [];
      signal.throwIfAborted();
    }
    if (isOver && breakAfter !== undefined) throw failureOf(breakAfter);
    if (waitMs >= pauseMsMin && !(await clock.sleep(waitMs, signal))) throw signal.reason;
    batch.push(asWireEvent(event));
    if (progress !== undefined) progress.writtenTokens = tokens;
  }
  yield batch;
}

/** What a model says before it begins: too long, or thoughts of its own that the client changed. */
function faultOf({ model, body }: AttemptRequest, inputTokens: number): Failure | undefined {
  const { maxInputTokens } = model;
  if (maxInputTokens !== null && inputTokens > maxInputTokens)
    return invalid(`prompt is too long: ${inputTokens} tokens > ${maxInputTokens} maximum`);
  return changedThought(body);
}

function changedThought(body: MessageBody): Failure | undefined {
  for (const [turn, { role, content }] of body.messages.entries()) {
    if (role !== "assistant" || typeof content === "string") continue;
    for (const [index, block] of content.entries())
      if (
        block.type === "thinking" &&
        isOwnSignature(String(block["signature"])) &&
        block["signature"] !== signatureOf(String(block["thinking"]))
      )
        return invalid(
          `messages.${turn}.content.${index}.signature: does not belong to this thinking; send thinking blocks back unchanged, or leave them out.`,
        );
  }
  return undefined;
}

function countAttempt(attempts: Map<string, number>, body: MessageBody): number {
  const key = hash("sha256", JSON.stringify(body), "base64");
  const count = (attempts.get(key) ?? 0) + 1;
  const [oldest] = attempts.keys();
  if (attempts.size >= countedBodiesMax && !attempts.has(key) && oldest !== undefined)
    attempts.delete(oldest);
  attempts.set(key, count);
  return count;
}

const typeByStatus: Readonly<Record<number, FailureType>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  409: "conflict_error",
  413: "invalid_request_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Never marked as a busy upstream: the prompt asked for this failure, and requests of others do not see it. */
function failureOf({ status, retryAfter }: FailDirective): Failure {
  const type = typeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
  return new Failure(type, `The simulator was told to fail with status ${status}.`, {
    status,
    ...(retryAfter !== undefined && { headers: { "retry-after": String(retryAfter) } }),
  });
}

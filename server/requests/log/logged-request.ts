// A row of the request log, made of what is known of the request and of its answer.
import { statusInTheEnd, type Failure } from "../../../kernel/base/failure.ts";
import { timeOfId } from "../../../kernel/base/ids.ts";
import type { RequestNotes } from "../../../kernel/base/request-notes.ts";
import type { Principal } from "../../../kernel/context.ts";
import { redactText } from "../../../kernel/observe/redact.ts";
import type { LoggedRequest } from "./queries.ts";
import { limits } from "../limits.ts";
import type { AnswerRecord, AttemptRecord } from "./answer-record.ts";

/** What a request was, however it came. */
export interface RequestFacts {
  requestId: string;
  notes: RequestNotes;
  who: Principal;
  origin: "api" | "batch" | "console" | "session";
  /** As the route table names it, or the kind of work that came by no route. */
  operation: string;
  method: string | null;
  path: string | null;
  status: number;
  failure: Failure | undefined;
  /** When it came and how it ended, by the steady clock. */
  startMs: number;
  endMs: number;
  sessionId?: string | null;
  batchId?: string | null;
}

export function loggedRequest(
  facts: RequestFacts,
  record: AnswerRecord | undefined,
): LoggedRequest {
  const { requestId, who, failure, path, startMs } = facts;
  const all = record?.attempts ?? none;
  // Guards are not charged, and what they read is no part of the request.
  const attempts = all.length === 1 ? all : all.filter(({ isGuard }) => !isGuard);
  const [first] = attempts;
  const last = attempts.at(-1);
  const total = attempts.length <= 1 ? first : attempts.reduce(addUp);
  const sinceStart = (ms: number | null | undefined) =>
    ms === null || ms === undefined ? null : Math.max(0, Math.round(ms - startMs));
  return {
    id: requestId,
    at: timeOfId(requestId),
    organizationId: who.organizationId,
    workspaceId: who.workspaceId,
    credentialId: who.credentialId,
    userId: who.userId ?? who.serviceAccountId ?? null,
    origin: facts.origin,
    operation: facts.operation,
    method: facts.method,
    path: path === null ? null : pathOf(path),
    status: statusInTheEnd(facts.status, failure),
    errorType: failure?.type ?? null,
    error: failure === undefined ? null : sentenceOf(failure),
    modelAsked: record?.modelAsked ?? null,
    modelServed: record?.modelServed ?? null,
    upstream: last?.upstream ?? null,
    stopReason: record?.stopReason ?? null,
    fellBack: record?.fellBack ?? false,
    inputTokens: total?.inputTokens ?? null,
    outputTokens: total?.outputTokens ?? null,
    cacheWriteTokens: total?.cacheWriteTokens ?? null,
    cacheReadTokens: total?.cacheReadTokens ?? null,
    amountNano: total?.nano ?? null,
    askedMs: sinceStart(first?.startMs),
    firstMs: sinceStart(total?.firstMs),
    ms: Math.max(0, Math.round(facts.endMs - startMs)),
    attempts:
      all.length > 1 || (last !== undefined && last.outcome !== "served")
        ? JSON.stringify(all.slice(0, limits.attemptsMax).map((each) => shown(each, startMs)))
        : null,
    sessionId: facts.sessionId ?? null,
    batchId: facts.batchId ?? null,
  };
}

const none: readonly AttemptRecord[] = [];

/** Of several attempts: what they used, and the first word of any. */
const addUp = (sum: AttemptRecord, next: AttemptRecord): AttemptRecord => ({
  ...next,
  firstMs: sum.firstMs ?? next.firstMs,
  inputTokens: sum.inputTokens + next.inputTokens,
  outputTokens: sum.outputTokens + next.outputTokens,
  cacheWriteTokens: sum.cacheWriteTokens + next.cacheWriteTokens,
  cacheReadTokens: sum.cacheReadTokens + next.cacheReadTokens,
  nano: sum.nano + next.nano,
});

/** As the log of the server has it: secrets removed, and what no log may hold in other words. */
const sentenceOf = ({ options, message }: Failure) =>
  storable(redactText(options.logged ?? message).slice(0, limits.errorCharactersMax));

const pathOf = (path: string) =>
  plainPath.test(path) ? path : storable(path.slice(0, limits.pathCharactersMax));
const plainPath = /^[\x21-\x7e]{1,300}$/;

/** Text that the database takes: no half of a character, and no zero character. */
const storable = (text: string) => text.toWellFormed().replaceAll("\0", "");

/** An attempt as it is kept, with times since the request came. */
const shown = ({ startMs, firstMs, endMs, ...attempt }: AttemptRecord, fromMs: number) => ({
  model: attempt.model,
  upstream: attempt.upstream,
  is_guard: attempt.isGuard,
  outcome: attempt.outcome,
  why: attempt.why,
  start_ms: Math.round(startMs - fromMs),
  first_ms: firstMs === null ? null : Math.round(firstMs - fromMs),
  end_ms: endMs === null ? null : Math.round(endMs - fromMs),
  input_tokens: attempt.inputTokens,
  output_tokens: attempt.outputTokens,
  cache_write_tokens: attempt.cacheWriteTokens,
  cache_read_tokens: attempt.cacheReadTokens,
  amount_nano: attempt.nano,
});

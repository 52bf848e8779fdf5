// What is noted of an answer while models give it: who was asked, when, and what came of it.

/** One attempt on one model; times are those of the process' steady clock. */
export interface AttemptRecord {
  model: string;
  upstream: string;
  /** It was asked whether the request, or a call, may go through. */
  isGuard: boolean;
  startMs: number;
  /** When its upstream was asked; null where a guard or a classifier had refused before that. */
  askedMs: number | null;
  /** The first word of its answer. */
  firstMs: number | null;
  endMs: number | null;
  /** As in the ledger; null while it is under way. */
  outcome: string | null;
  /** Why it did not serve: the category of a refusal, or the type of a failure. */
  why: string | null;
  inputTokens: number;
  outputTokens: number;
  cacheWriteTokens: number;
  cacheReadTokens: number;
  nano: number;
}

/** Of one request: the engine of messages writes it, the log reads it. */
export class AnswerRecord {
  readonly startMs: number;
  modelAsked: string | null = null;
  modelServed: string | null = null;
  stopReason: string | null = null;
  /** Another model answered than the first that could have. */
  fellBack = false;
  readonly attempts: AttemptRecord[] = [];
  /** Answers under way: a client may be gone before the last of them is settled. */
  #underWay = 0;
  #ended: (() => void) | undefined;

  constructor(startMs: number) {
    this.startMs = startMs;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#ended?.();
  }

  /** Calls back when no answer is under way any more: at once, where none is. */
  whenEnded(act: () => void): void {
    if (this.#underWay === 0) act();
    else this.#ended = act;
  }

  /** The model that answers in the end, also with a refusal. */
  serve(
    model: string,
    { isFallback, stopReason }: { isFallback: boolean; stopReason: string | null },
  ): void {
    this.modelServed = model;
    this.fellBack = isFallback;
    this.stopReason = stopReason;
  }

  beginAttempt(
    { id, upstream }: { id: string; upstream: string },
    nowMs: number,
    isGuard = false,
  ): AttemptRecord {
    const attempt: AttemptRecord = {
      model: id,
      upstream,
      isGuard,
      startMs: nowMs,
      askedMs: isGuard ? nowMs : null,
      firstMs: null,
      endMs: null,
      outcome: null,
      why: null,
      inputTokens: 0,
      outputTokens: 0,
      cacheWriteTokens: 0,
      cacheReadTokens: 0,
      nano: 0,
    };
    this.attempts.push(attempt);
    return attempt;
  }
}

/** Of an answer in a line of the server's log. */
export interface AnswerInShort {
  /** As the catalog has it: a client's own words stand in no line. */
  model: string;
  /** Null while an attempt is under way, as after a client that has gone. */
  tokens: { input: number; output: number } | null;
}

/** Undefined where no model was asked. What guards read is no part of the request. */
export function answerInShort(record: AnswerRecord | undefined): AnswerInShort | undefined {
  if (record === undefined) return undefined;
  let model = record.modelServed;
  let input = 0;
  let output = 0;
  let isOver = true;
  for (const attempt of record.attempts) {
    if (attempt.isGuard) continue;
    if (record.modelServed === null) model = attempt.model;
    input += attempt.inputTokens;
    output += attempt.outputTokens;
    if (attempt.endMs === null) isOver = false;
  }
  return model === null ? undefined : { model, tokens: isOver ? { input, output } : null };
}

// Why a model gave no answer, in the words of a session's events.
import { limits } from "../limits.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import { isCommitUnknown } from "../../../kernel/sql/database.ts";

export interface ModelFailure {
  type:
    | "model_overloaded_error"
    | "model_rate_limited_error"
    | "model_request_failed_error"
    | "billing_error"
    | "unknown_error";
  message: string;
  /** It may go better another time. */
  isTransient: boolean;
  retryAfterMs: number;
}

export function describeFailure(error: unknown): ModelFailure {
  if (!(error instanceof Failure))
    return {
      type: "unknown_error",
      message: "The model could not be asked: this server failed. Its log says more.",
      isTransient: true,
      retryAfterMs: 0,
    };
  const { status, options, message } = error;
  const isFinal = options.headers?.["x-should-retry"] === "false";
  const isTransient = !isFinal && (status === 408 || status === 429 || status >= 500);
  const retryAfterMs = Number(options.headers?.["retry-after"] ?? 0) * 1000 || 0;
  return { type: typeOf(error, isTransient), message, isTransient, retryAfterMs };
}

function typeOf({ status, type, options }: Failure, isTransient: boolean): ModelFailure["type"] {
  if (type === "billing_error" || (status === 429 && !isTransient)) return "billing_error";
  if (type === "overloaded_error" || options.isUpstreamBusy === true)
    return "model_overloaded_error";
  if (status === 429) return "model_rate_limited_error";
  return "model_request_failed_error";
}

/** The database, not a model: nothing can be told of it before it is back. */
export const isDatabaseAway = (error: unknown): boolean =>
  error instanceof Failure && /^(database|ledger)_/.test(error.options.code ?? "");

/** Also in the middle of a commit, which may have been made. */
export const isDatabaseLost = (error: unknown): boolean =>
  isDatabaseAway(error) || isCommitUnknown(error);

/** It doubles, and is spread, so that sessions that failed together do not come back together. */
export function pauseAfter(failures: number, retryAfterMs: number, fraction: number): number {
  const doubled = Math.min(limits.retryMs * 2 ** (failures - 1), limits.retryMsMax);
  const askedMs = Math.min(retryAfterMs, limits.retryMsMax);
  return Math.max(doubled * (0.75 + fraction / 2), askedMs);
}

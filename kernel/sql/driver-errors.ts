// The meaning of the driver's errors: which ones a caller may see, which ones are worth another try.
import pg from "pg";
import { Failure, unavailable } from "../base/failure.ts";

/** Classes and codes of PostgreSQL and of sockets that say: no connection, or not one any more. */
const awayCodes =
  /^(08|57P0|53300|25P03|ECONN|EPIPE|EAGAIN|ENOENT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOST)/;
/** The driver gives these no code. */
const awayMessages =
  /timeout exceeded when trying to connect|Connection terminated|is not queryable|Query read timeout|after calling end on the pool|Client was closed/;

export function isConnectionLost(error: unknown): boolean {
  return (
    error instanceof Error && (awayCodes.test(codeOf(error)) || awayMessages.test(error.message))
  );
}

/** Connection trouble becomes "come back in a second"; what the server says of a statement stays as it is. */
export function asFailure(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (error.message.includes("timeout exceeded when trying to connect"))
    return unavailable("The database is busy: every connection is taken; try again.", 1, {
      code: "database_busy",
      cause: error,
    });
  if (isConnectionLost(error)) return databaseAway(error);
  switch (codeOf(error)) {
    case "53100":
      return unavailable("The disk of the database is full; nothing was saved.", 30, {
        code: "database_full",
        cause: error,
      });
    case "53200":
      return unavailable("The database is out of memory; nothing was saved.", 10, {
        code: "database_out_of_memory",
        cause: error,
      });
    case "57014":
    case "55P03":
      return unavailable(
        "The database took too long over this and gave up; nothing was saved.",
        5,
        {
          code: "database_timeout",
          cause: error,
        },
      );
    default:
      return error;
  }
}

export function databaseAway(cause: unknown): Failure {
  return unavailable("The database is not reachable just now; try again.", 1, {
    code: "database_away",
    cause,
  });
}

/** The answer to COMMIT never came. Clients repeat a 503 unless told not to: this one may be saved already. */
export function commitUnknown(cause: unknown): Failure {
  return unavailable(
    "The database was lost while this was being saved: it may have been saved or not. Look before you repeat it.",
    1,
    { code: "commit_outcome_unknown", headers: { "x-should-retry": "false" }, cause },
  );
}

export const isCommitUnknown = (error: unknown): boolean =>
  error instanceof Failure && error.options.code === "commit_outcome_unknown";

export function contended(cause: unknown): Failure {
  return unavailable(
    "Too many changes to the same data at once; nothing was saved. Try again.",
    1,
    {
      code: "database_contended",
      cause,
    },
  );
}

/** A serialization failure or a deadlock: the server rolled back, and the same work may pass now. */
export function isRetryable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === "40001" || error.code === "40P01");
}

/** The values of the statement are at fault: it would fail again. */
export const isBadData = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? "");

/** The constraint that a statement broke, if that is why it failed: for turning a duplicate into a sentence. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith("23")
    ? error.constraint
    : undefined;
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

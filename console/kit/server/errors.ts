// What went wrong, as one sentence for a person, with the number to quote to the operator.
import { ApiError } from "./api.ts";

export interface Trouble {
  sentence: string;
  requestId: string | null;
}

export function trouble(error: unknown, inFull = false): Trouble {
  if (error instanceof ApiError && error.status === 401)
    return {
      sentence:
        "Your sign-in has ended, and this was not done. Sign in again, and send it once more.",
      requestId: null,
    };
  if (error instanceof ApiError) {
    const sentence =
      error.status >= 500 && !inFull
        ? "The server could not do this. Try again; if it stays, look in its log."
        : error.message;
    return { sentence, requestId: error.requestId ?? null };
  }
  if (error instanceof TypeError) {
    return {
      sentence:
        "The server did not answer. If this was to change something, it may be done all the same: look before you send it again.",
      requestId: null,
    };
  }
  return { sentence: "Something in this page broke. Reload it.", requestId: null };
}

/** For places with room for one line only. */
export function sentenceOf(error: unknown): string {
  const { sentence, requestId } = trouble(error);
  return requestId === null ? sentence : `${sentence} (${requestId})`;
}

/** The field that a 400 talks about: messages begin with the path, as in `name: must be at most 100 characters.` */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError) || error.status !== 400) return undefined;
  const start = `${field}: `;
  if (!error.message.startsWith(start)) return undefined;
  return sentenceFrom(error.message.slice(start.length));
}

/** The same for a part with fields of its own, which are named: `tools.2` is told what `tools.2.name: …` says. */
export function errorWithin(error: unknown, part: string): string | undefined {
  const whole = fieldError(error, part);
  if (whole !== undefined || !(error instanceof ApiError) || error.status !== 400) return whole;
  if (!error.message.startsWith(`${part}.`)) return undefined;
  return sentenceFrom(error.message.slice(part.length + 1));
}

const sentenceFrom = (rest: string): string => rest.charAt(0).toUpperCase() + rest.slice(1);

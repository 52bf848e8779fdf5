// The shape of an error on the wire, wherever no other standard has its own.
import { Failure } from "../../base/failure.ts";
import { redactKeys } from "../../base/redact-keys.ts";

export interface Envelope {
  type: "error";
  error: { type: string; message: string; details?: Record<string, unknown> };
  request_id: string | null;
}

export function envelope(failure: Failure, requestId: string | null): Envelope {
  const { code, details, fields } = failure.options;
  const all = { ...(code !== undefined && { error_code: code }), ...details };
  return {
    type: "error",
    error: {
      type: failure.type,
      // Sentences name what they could not find, and people paste keys where ids belong.
      message: redactKeys(failure.message),
      ...(Object.keys(all).length > 0 && { details: all }),
      ...fields,
    },
    request_id: requestId,
  };
}

/** A bug of this server: the caller learns the request's id, nothing of the inside. */
export const internalFailure = (cause: unknown) =>
  new Failure(
    "api_error",
    "Something went wrong on this server. It has been logged; quote the request id when you report it.",
    { cause },
  );

/** Failures pass; everything else is a bug. */
export const toFailure = (error: unknown): Failure =>
  error instanceof Failure ? error : internalFailure(error);

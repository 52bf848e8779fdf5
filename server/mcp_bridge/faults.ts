// What a client is told where the server behind a bridge does not answer; its own errors are passed on as they are.
import { ProtocolError, ProtocolErrorCode, SdkHttpError } from "@modelcontextprotocol/server";
import { CallEnded, type PassedRequest } from "./calls.ts";
import { NoSession, TooManySessions } from "./behind/upstreams.ts";

const resourceNotFoundBefore2026 = -32002;

/** As an error of the protocol. */
export function faultOf(
  error: unknown,
  { method, params }: PassedRequest,
  { callMs, heldMs }: { callMs: number; heldMs: number },
): ProtocolError {
  if (error instanceof CallEnded) {
    const happened = {
      ended: "The server behind this bridge ended before it answered.",
      slow: `The server behind this bridge did not answer within ${callMs / 1_000} seconds.`,
      unanswered: `What the server behind this bridge asked was not answered within ${heldMs / 1_000} seconds.`,
    }[error.kind];
    return internal(`${happened} ${method === "tools/call" ? unknownEffect : "Ask again."}`);
  }
  if (error instanceof TooManySessions || error instanceof NoSession)
    return internal(error.message);
  // The packages know each other's errors.
  if (error instanceof ProtocolError) {
    const isMissing = error.code === resourceNotFoundBefore2026;
    if (!isMissing) return error;
    return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, {
      uri: params["uri"],
    });
  }
  if (error instanceof SdkHttpError)
    return internal(`The server behind this bridge answered with the status ${error.status}.`);
  return internal(
    `The server behind this bridge cannot be reached. ${method === "tools/call" ? unknownEffect : "Ask again."}`,
  );
}

const unknownEffect = "Whether the call had an effect is not known, and it is not repeated.";

const internal = (message: string) => new ProtocolError(ProtocolErrorCode.InternalError, message);

/** Of a request that no session could be begun for. */
export function refusalOf(error: unknown, id: string | number | undefined): Response {
  if (error instanceof TooManySessions)
    return refuse(503, error.message, { id, headers: { "retry-after": "1" } });
  if (!(error instanceof NoSession)) throw error;
  const { cause } = error;
  if (cause instanceof SdkHttpError && (cause.status === 401 || cause.status === 403))
    return refuse(
      cause.status,
      `The server behind this bridge answered with the status ${cause.status}. With --pass-authorization it is sent the caller's authorization.`,
      { id },
    );
  return refuse(502, error.message, { id });
}

export function refuse(
  status: number,
  message: string,
  { id, headers = {} }: { id?: string | number | undefined; headers?: Record<string, string> } = {},
): Response {
  const error = { code: status === 400 ? ProtocolErrorCode.ParseError : -32000, message };
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status, headers });
}

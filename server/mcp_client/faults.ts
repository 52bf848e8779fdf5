// Why what a server was asked came to nothing, of whatever its client throws.
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { fieldsOf } from "./fields.ts";
import { limits } from "./limits.ts";
import { clean, cut, type Scrub } from "./lists/tools.ts";
import { brokenOff, withoutResult } from "./transport.ts";
import { brokeOff, McpFault } from "./wire.ts";

interface Circumstances {
  fault: McpFault | undefined;
  hasSession: boolean;
  timeoutMs: number;
  scrub: Scrub;
}

/** In words of ours: what a server says of its errors is kept apart, and cut. */
export function faultOf(
  error: unknown,
  { fault, hasSession, timeoutMs, scrub }: Circumstances,
): McpFault {
  if (fault !== undefined) return fault;
  if (error instanceof McpFault) return error;
  if (error instanceof ProtocolError) {
    if (error.data === brokenOff) return brokeOff(error);
    if (error.data === withoutResult)
      return new McpFault("connection", "answered without a result.", { cause: error });
    const said = cut(clean(scrub(error.message)), limits.errorCharactersMax);
    return new McpFault("answer", `answered with an error (${error.code}).`, {
      cause: error,
      said,
    });
  }
  if (error instanceof SdkHttpError) {
    const { status } = error;
    if (status === 404 && hasSession)
      return new McpFault("session_gone", "does not know this session any more.", { cause: error });
    const words =
      status >= 300 && status < 400
        ? `answered with a redirect (${status}) to another server, which is not followed.`
        : `answered with the status ${status}.`;
    return new McpFault("connection", words, { cause: error, status });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new McpFault("connection", `did not answer within ${timeoutMs / 1000} seconds.`, {
      cause: error,
    });
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType)
    return new McpFault("answer", wordsOfType(error), { cause: error });
  return new McpFault("connection", "answered in a way that is not MCP.", { cause: error });
}

/** A question where no person can be asked, and a kind of result that the protocol has not. */
const wordsOfType = ({ data }: SdkError) =>
  fieldsOf(data)["resultType"] === "input_required"
    ? "asked for something in return, and no person can be asked here."
    : "answered with a kind of result that is not known here.";

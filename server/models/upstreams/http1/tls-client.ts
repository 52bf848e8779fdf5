// The same client for https addresses: undici's pool. Its codes have the words of our own.
import { Pool } from "undici";
import type { ConnectionTimes } from "./connection.ts";
import type { HttpClient, HttpFaultCode } from "./types.ts";

export function tlsClient(
  origin: string,
  times: ConnectionTimes,
  connectionsMax: number,
): HttpClient {
  const pool = new Pool(origin, {
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: times.connectMs },
    headersTimeout: times.firstByteMs,
    bodyTimeout: times.betweenBytesMs,
    keepAliveTimeout: times.keepAliveMs,
  });
  return {
    dispatch: ({ headers, ...request }, handler) =>
      void pool.dispatch({ ...request, headers: [...headers] }, handler),
    close: () => pool.close(),
    destroy: () => pool.destroy(),
  };
}

const codesByUndici: ReadonlyMap<string, HttpFaultCode> = new Map([
  ["UND_ERR_CONNECT_TIMEOUT", "CONNECT_TIMEOUT"],
  ["UND_ERR_HEADERS_TIMEOUT", "FIRST_BYTE_TIMEOUT"],
  ["UND_ERR_BODY_TIMEOUT", "BETWEEN_BYTES_TIMEOUT"],
  ["UND_ERR_SOCKET", "CONNECTION_CLOSED"],
  ["UND_ERR_HEADERS_OVERFLOW", "INVALID_REPLY"],
  ["HTTPParserError", "INVALID_REPLY"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "CONNECTION_CLOSED"],
  ["UND_ERR_INVALID_ARG", "INVALID_REQUEST"],
]);

/** Of a code or the name of an error; undefined for those of the system, which both clients pass on. */
export const faultCodeOf = (code: string): HttpFaultCode | undefined => codesByUndici.get(code);

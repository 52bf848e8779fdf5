// What a client for HTTP is asked and what it reports: undici's words, so that its pool and our own client fit alike.

export interface OutgoingRequest {
  method: "GET" | "POST";
  path: string;
  /** Names and values in turn. An array that comes again is checked once: it is never changed. */
  headers: readonly string[];
  body: Buffer | string | null;
}

/** Names in small letters; a name that comes again has an array. */
export type ReplyHeaders = Record<string, string | string[] | undefined>;

/** Steers one request. Once its reply has ended, or was aborted, it does nothing any more. */
export interface ReplyController {
  readonly paused: boolean;
  /** What was read already may still come. */
  pause(): void;
  resume(): void;
  /** Closes the connection. */
  abort(reason: Error): void;
}

export interface ReplyHandler {
  /** Before a connection is there, so that waiting for one can be aborted. Only our own client says so. */
  onRequestWaiting(controller: ReplyController): void;
  /** The request goes out now. */
  onRequestStart(controller: ReplyController): void;
  onResponseStart(controller: ReplyController, status: number, headers: ReplyHeaders): void;
  /** The bytes are the handler's own. */
  onResponseData(controller: ReplyController, bytes: Buffer): void;
  onResponseEnd(controller: ReplyController): void;
  /** The last that is heard of a request. */
  onResponseError(controller: ReplyController, error: Error): void;
}

export interface HttpClient {
  /** Throws nothing: what is wrong comes to `onResponseError`. */
  dispatch(request: OutgoingRequest, handler: ReplyHandler): void;
  /** Takes no more requests, and resolves when the last one has ended. */
  close(): Promise<void>;
  /** Ends all requests. */
  destroy(): Promise<void>;
}

export type HttpFaultCode =
  | "CONNECT_TIMEOUT"
  | "FIRST_BYTE_TIMEOUT"
  | "BETWEEN_BYTES_TIMEOUT"
  /** By the other side, before the end of a reply. */
  | "CONNECTION_CLOSED"
  /** What came is no HTTP, or does not say for sure where it ends. */
  | "INVALID_REPLY"
  | "INVALID_REQUEST"
  | "CLIENT_CLOSED";

/** Its sentence holds nothing of what was sent or read. */
export class HttpFault extends Error {
  readonly code: HttpFaultCode;

  constructor(code: HttpFaultCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

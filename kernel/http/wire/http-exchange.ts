// A request and its response as the dispatcher uses them, be the bytes read and written by node:http or the lean way.
import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";

export interface HttpRequest {
  readonly method?: string | undefined;
  url?: string | undefined;
  readonly httpVersion: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value: as they came. */
  readonly rawHeaders: string[];
  readonly socket: Socket;
  /** The body has arrived, whether or not it was read. */
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly readableEnded: boolean;
  /** What has arrived of the body since the last call; null when that is nothing. */
  read(): unknown;
  resume(): unknown;
  destroy(): unknown;
  on(event: RequestEvent, listener: (chunk: Buffer) => void): HttpRequest;
  once(event: RequestEvent, listener: () => void): HttpRequest;
  off(event: RequestEvent, listener: () => void): HttpRequest;
}

type RequestEvent = "readable" | "data" | "end" | "error" | "close";

export interface HttpResponse {
  readonly req: HttpRequest;
  /** Null once the response is over. */
  readonly socket: Socket | null;
  readonly statusCode: number;
  readonly headersSent: boolean;
  /** `end` was called. */
  readonly writableEnded: boolean;
  /** All of it was handed to the operating system. */
  readonly writableFinished: boolean;
  /** Bytes that the client has not taken. */
  readonly writableLength: number;
  readonly destroyed: boolean;
  readonly closed: boolean;
  /** Whether `write` makes a chunk of what it gets; who sets it to false writes chunks. */
  chunkedEncoding: boolean;
  setHeader(name: string, value: string): unknown;
  removeHeader(name: string): void;
  writeHead(status: number, headers: Record<string, string | string[]>): unknown;
  flushHeaders(): void;
  write(data: Buffer | string): boolean;
  end(data?: Buffer | string): unknown;
  destroy(): unknown;
  on(event: ResponseEvent, listener: () => void): HttpResponse;
  once(event: ResponseEvent, listener: () => void): HttpResponse;
  off(event: ResponseEvent, listener: () => void): HttpResponse;
}

type ResponseEvent = "drain" | "error" | "close";

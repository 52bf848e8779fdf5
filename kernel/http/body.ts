// Reads request bodies: whole and bounded for JSON, chunk by chunk for large ones.
import type { IncomingMessage } from "node:http";
import { Failure, invalid, tooLarge } from "../base/failure.ts";
import { limits } from "../base/limits.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body with text in it, as JSON. Undefined when there is none. */
export async function readJson(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  if (hasNoBody(request)) return undefined;
  expectEncoding(request);
  const bytes = await readAll(request, bytesMax);
  if (bytes.length === 0) return undefined;
  expectJson(request);
  return parseJson(decode(bytes));
}

export function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
}

/** A missing content type is taken for JSON: many a shell one-liner sends none. */
function expectJson({ headers }: IncomingMessage): void {
  const type = headers["content-type"];
  if (type === undefined) return;
  const [name = "", ...parameters] = type.toLowerCase().split(";");
  if (name.trim() !== "application/json" && !name.trim().endsWith("+json"))
    throw invalid(
      `The content-type is ${JSON.stringify(name.trim().slice(0, 80))}; this route takes application/json.`,
      { status: 415 },
    );
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith("charset="));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw invalid(`The content-type names ${charset}; only UTF-8 is understood.`, {
      code: "unsupported_charset",
    });
}

function expectEncoding({ headers }: IncomingMessage): void {
  const encoding = headers["content-encoding"]?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== "" && encoding !== "identity")
    throw invalid(
      `content-encoding ${JSON.stringify(encoding.slice(0, 40))} is not supported; send the body as it is.`,
      {
        code: "request_body_encoding_unsupported",
      },
    );
}

/** Everything, or 413 as soon as it is known to be too much, or 408 when the client falls silent. */
export async function readAll(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  expectSize(request, bytesMax);
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => finish(slowBody()), limits.bodyIdleTimeoutMs);
    const finish = (error?: Error) => {
      clearTimeout(timer);
      request.off("data", take).off("end", finishWell).off("error", fail).off("close", gone);
      if (error === undefined)
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      else reject(error);
    };
    const finishWell = () => finish();
    const fail = () => finish(clientGone());
    const gone = () => finish(clientGone());
    const take = (chunk: Buffer) => {
      timer.refresh();
      length += chunk.length;
      if (length > bytesMax) finish(bodyTooLarge(bytesMax));
      else chunks.push(chunk);
    };
    request.on("data", take).on("end", finishWell).on("error", fail).on("close", gone);
  });
}

/** The bytes as they come, bounded, with back-pressure. */
export async function* readChunks(
  request: IncomingMessage,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  expectSize(request, bytesMax);
  expectEncoding(request);
  let length = 0;
  const timer = setTimeout(() => request.destroy(slowBody()), limits.bodyIdleTimeoutMs);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      timer.refresh();
      length += chunk.length;
      if (length > bytesMax) throw bodyTooLarge(bytesMax);
      yield chunk;
      timer.refresh();
    }
  } finally {
    clearTimeout(timer);
  }
}

function expectSize({ headers }: IncomingMessage, bytesMax: number): void {
  if (Number(headers["content-length"] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax);
}

const bodyTooLarge = (bytesMax: number) =>
  tooLarge(`The body is larger than ${bytesMax} bytes, the most that this route takes.`);

const slowBody = () =>
  new Failure(
    "timeout_error",
    `The body stopped arriving for ${limits.bodyIdleTimeoutMs / 1000} seconds; send it again.`,
    { code: "request_body_timeout" },
  );

/** Nobody reads this one; it ends the handler and is counted. */
export const clientGone = () =>
  invalid("The client closed the connection before the request was complete.", { status: 499 });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    const before = validPrefix(bytes);
    throw invalid(`The body is not UTF-8: byte ${before + 1} does not belong to any character.`, {
      code: "request_body_encoding_invalid",
    });
  }
}

/** How many bytes from the start are good UTF-8: a search by halves over a body of known limit. */
function validPrefix(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isValidStart(bytes.subarray(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function isValidStart(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    const { line, column } = place(text, reason);
    throw invalid(`The body is not JSON: ${tidy(reason)} at line ${line}, column ${column}.`);
  }
}

/** V8 says "at position N" or, when the text ends too early, nothing. */
function place(text: string, reason: string): { line: number; column: number } {
  const position = /position (\d+)/.exec(reason)?.[1];
  const before = text.slice(0, position === undefined ? text.length : Number(position));
  const lines = before.split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Without the position, which follows, and without the excerpt, which may hold a secret. */
const tidy = (reason: string) =>
  reason
    .replace(/,? (in JSON )?at position.*$/s, "")
    .replace(/, (\.\.\.)?".*$/s, "")
    .replace(/ in JSON$/, "");

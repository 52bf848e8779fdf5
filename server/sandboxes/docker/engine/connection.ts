// Requests to a Docker daemon over its unix socket, and the raw streams that some of them turn into.
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Clock } from "../../../../kernel/base/clock.ts";
import { parseExactly } from "../../../../kernel/base/exact-json.ts";
import { SandboxError } from "../../provider.ts";
import type { ShellStreams } from "../../shell/connection.ts";

/** What the daemon refused, or that it could not be asked, in a sentence. */
export class EngineError extends SandboxError {
  /** Of HTTP; undefined where there was no answer. */
  readonly status: number | undefined;
  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

export interface Asking {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  /** Without one the answer may take for ever: it comes when something has happened. */
  limitMs?: number;
}

export interface EngineConnection {
  /** What is answered, read as JSON; undefined where nothing is. */
  ask(asking: Asking): Promise<unknown>;
  /** The standard streams of a program, for which the daemon gives the connection over. */
  openStreams(asking: Asking): Promise<ShellStreams>;
}

/** No answer that is asked for is longer. */
const answerBytesMax = 8 * 1024 * 1024;

export function connectEngine(socketPath: string, clock: Clock): EngineConnection {
  const open = ({ method, path, body }: Asking, headers: Record<string, string>) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const asked = request({
      socketPath,
      path,
      method,
      agent: false,
      headers: {
        host: "docker",
        "content-type": "application/json",
        "content-length": Buffer.byteLength(text),
        ...headers,
      },
    });
    asked.end(text);
    return asked;
  };

  /** `begin` settles; else the request is over. */
  const within = async <Result>(
    asking: Asking,
    headers: Record<string, string>,
    begin: (asked: ClientRequest, settle: Settle<Result>) => void,
  ): Promise<Result> => {
    const limit = new AbortController();
    const asked = open(asking, headers);
    try {
      return await new Promise<Result>((resolve, reject) => {
        begin(asked, { resolve, reject });
        asked.on("error", (error) => reject(unreachable(error, socketPath)));
        if (asking.limitMs === undefined) return;
        const late = `The Docker daemon did not answer ${asking.method} ${asking.path} in time.`;
        void clock.sleep(asking.limitMs, limit.signal).then(() => reject(new EngineError(late)));
      });
    } catch (error) {
      asked.destroy();
      throw error;
    } finally {
      limit.abort();
    }
  };

  return {
    ask: (asking) =>
      within(asking, { connection: "close" }, (asked, settle) => {
        asked.on("response", (response) => readAnswer(response, settle));
      }),
    openStreams: (asking) =>
      within(asking, { connection: "Upgrade", upgrade: "tcp" }, (asked, { resolve, reject }) => {
        asked.on("upgrade", (_response, socket, head) => resolve(splitStreams(socket, head)));
        asked.on("response", (response) =>
          readAnswer(response, {
            reject,
            resolve: () => reject(new EngineError("The Docker daemon kept the connection.")),
          }),
        );
      }),
  };
}

interface Settle<Result> {
  resolve: (result: Result) => void;
  reject: (error: EngineError) => void;
}

function readAnswer(response: IncomingMessage, { resolve, reject }: Settle<unknown>): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= answerBytesMax) {
      parts.push(part);
      return;
    }
    response.destroy();
    reject(new EngineError("The Docker daemon answers with more than 8 MiB."));
  });
  response.on("error", (error) =>
    reject(new EngineError("The answer of the Docker daemon broke off.", undefined, error)),
  );
  response.on("end", () => {
    const { statusCode: status = 0 } = response;
    const text = Buffer.concat(parts).toString();
    const answer = parse(text);
    if (status < 400 && answer !== unreadable) return resolve(answer);
    if (status < 400) return reject(new EngineError("What answers is no Docker daemon.", status));
    reject(new EngineError(`The Docker daemon says: ${messageOf(answer, text)}`, status));
  });
}

const unreadable = Symbol("no JSON");

function parse(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return parseExactly(text);
  } catch {
    return unreadable;
  }
}

const messageCharactersMax = 500;

function messageOf(answer: unknown, text: string): string {
  const isTold = typeof answer === "object" && answer !== null && "message" in answer;
  const words = (isTold ? String(answer.message) : text).trim().slice(0, messageCharactersMax);
  return /[.!?]$/.test(words) ? words : `${words || "nothing"}.`;
}

function unreachable(error: NodeJS.ErrnoException, socketPath: string): EngineError {
  const { code = "" } = error;
  const words: Record<string, string> = {
    ENOENT: `There is no Docker daemon: ${socketPath} does not exist.`,
    ENOTSOCK: `There is no Docker daemon: ${socketPath} is no socket.`,
    ECONNREFUSED: `There is no Docker daemon: nothing listens at ${socketPath}.`,
    EACCES: `The server's user may not use the Docker daemon at ${socketPath}.`,
  };
  const said = words[code] ?? `The Docker daemon at ${socketPath} cannot be asked: ${code}.`;
  return new EngineError(said, undefined, error);
}

const headBytes = 8;
const outputKind = 1;
const errorsKind = 2;

/**
 * Standard output and standard error come in turns, each piece behind a head of eight bytes that says which of them it
 * is and how long. Both end with the connection; a head that is none ends all three.
 */
function splitStreams(socket: Socket, first: Buffer): ShellStreams {
  const output = new Readable({ read: () => {} });
  const errors = new Readable({ read: () => {} });
  const end = (): void => {
    output.push(null);
    errors.push(null);
  };
  let head = Buffer.alloc(0);
  let kind = outputKind;
  let left = 0;
  let isEnded = false;

  const take = (bytes: Buffer): void => {
    let rest = bytes;
    while (rest.length > 0 && !isEnded) {
      if (left > 0) {
        const piece = rest.subarray(0, left);
        left -= piece.length;
        rest = rest.subarray(piece.length);
        (kind === errorsKind ? errors : output).push(piece);
        continue;
      }
      const missing = headBytes - head.length;
      head = Buffer.concat([head, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      if (head.length < headBytes) return;
      kind = head[0] ?? 0;
      left = head.readUInt32BE(4);
      const isHead = (kind === outputKind || kind === errorsKind) && head.readUIntBE(1, 3) === 0;
      head = Buffer.alloc(0);
      if (!isHead) socket.destroy();
      isEnded = !isHead;
    }
  };

  // Its end says so already.
  socket.on("error", () => {});
  socket.on("data", take);
  socket.once("close", () => {
    isEnded = true;
    end();
  });
  take(first);
  return { control: socket, output, errors };
}

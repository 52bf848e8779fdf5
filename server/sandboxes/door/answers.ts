// What a sandbox is told that gets no connection: one sentence that names the host, why, and what to change.
import type { Socket } from "node:net";
import type { Target } from "./target.ts";

export interface Answer {
  status: number;
  /** Of the status line: some programs show nothing else. */
  phrase: string;
  sentence: string;
}

export const refusalReasons = ["host", "port", "address", "spelling"] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export type Refusal = Target &
  (
    | { reason: "host" }
    | { reason: "port"; ports: readonly number[] }
    | { reason: "address"; detail: string }
    | { reason: "spelling" }
  );

/** What says which hosts are allowed, and who changes that. */
export interface RuledBy {
  by: string;
  mend: string;
}

export const ruledByEnvironment: RuledBy = {
  by: "the environment",
  mend: "Who manages the environment may add it to networking.allowed_hosts.",
};

export function refusalOf(refusal: Refusal, { by, mend }: RuledBy): Answer {
  const place = `${shown(refusal.host)}:${refusal.port}`;
  if (refusal.reason === "host")
    return forbidden(
      `Host not allowed by ${by}`,
      `${place} is refused: ${by} of this session does not allow the host. ${mend}`,
    );
  if (refusal.reason === "port")
    return forbidden(
      `Port not allowed by ${by}`,
      `${place} is refused: ${by} of this session allows this host at port ${refusal.ports.join(" and ")} alone. ${mend}`,
    );
  if (refusal.reason === "address")
    return forbidden("Address not allowed by the server", `${place} ${refusal.detail}`);
  return forbidden(
    "Host not understood",
    `${shown(refusal.host)} is refused: write the host as in example.com:443, an IPv4 address with four decimal numbers, or an IPv6 address in brackets.`,
  );
}

const forbidden = (phrase: string, sentence: string): Answer => ({ status: 403, phrase, sentence });

/** What a sandbox wrote in place of a host. */
export const shown = (host: string): string => host.replaceAll(/[^\x21-\x7e]/g, "?").slice(0, 253);

export const tooMany: Answer = {
  status: 503,
  phrase: "Too many connections",
  sentence: "This sandbox has as many connections open as it may. Close some, and try again.",
};

export const answerHeaders = ({ sentence }: Answer): Record<string, string> => ({
  "content-type": "text/plain; charset=utf-8",
  "content-length": `${Buffer.byteLength(sentence) + 1}`,
  connection: "close",
});

/** For a connection that is given up with it. */
export function answerSocket(socket: Socket, answer: Answer): void {
  const { status, phrase, sentence } = answer;
  const lines = Object.entries(answerHeaders(answer)).map(([name, value]) => `${name}: ${value}`);
  socket.on("error", () => {});
  socket.end([`HTTP/1.1 ${status} ${phrase}`, ...lines, "", `${sentence}\n`].join("\r\n"));
  // What it still sends is read: else the kernel would cut the connection, and the answer with it.
  socket.resume();
}

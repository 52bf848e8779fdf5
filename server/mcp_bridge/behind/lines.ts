// What a command is, and the messages that it writes, one in a line.
import { ReadBuffer } from "@modelcontextprotocol/server";
import type { Transport } from "@modelcontextprotocol/client";
import { limits } from "../limits.ts";

export interface CommandLine {
  command: string;
  args: readonly string[];
  /** All that it sees of the environment, beside what a sandbox has of its own. */
  env: Readonly<Record<string, string>>;
}

/** Takes its output as it comes; a line that is too long ends it. */
export function readLines(transport: Transport, end: () => void): (bytes: Buffer) => void {
  const buffer = new ReadBuffer({ maxBufferSize: limits.answerBytesMax });
  return (bytes) => {
    try {
      buffer.append(bytes);
    } catch (error) {
      transport.onerror?.(error as Error);
      end();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        transport.onerror?.(error as Error); // a line that is no message is passed over
      }
    }
  };
}

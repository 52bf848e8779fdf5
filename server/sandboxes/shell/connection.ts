// The connection to one shell of a sandbox: what is typed there, and what comes back.
import type { Readable, Writable } from "node:stream";
import type { Random } from "../../../kernel/base/random.ts";
import type { ExecRequest } from "../provider.ts";
import { shellWord } from "../request.ts";
import { type Keeper, makeFrames, markText } from "./frames.ts";

/** What a provider has opened to a shell that reads what it runs from its standard input. */
export interface ShellStreams {
  control: Writable;
  output: Readable;
  errors: Readable;
}

/** It reads what it runs from its standard input. */
export const shellWords = ["bash", "--noprofile", "--norc", "-s"];

export interface Connection {
  /**
   * Copies of its output that no program gets: what a call does to its own is undone when it ends. The commands
   * `before` run first.
   */
  greet(options: { before?: string; keeper: Keeper }): Promise<number>;
  /** One at a time. Its status does not come where the shell ends before. */
  run(request: ExecRequest, keeper: Keeper): Promise<number>;
  /** When all that was written has been read: nothing else has the pipes open any more. */
  close(): Promise<void>;
}

/** `stdinFile` is its own inside: two shells run at a time. */
export function connectShell(
  { control, output, errors }: ShellStreams,
  { random, stdinFile }: { random: Random; stdinFile: string },
): Connection {
  // The server's writes may meet a dead reader: the end of the process says so already.
  control.on("error", () => {});
  const frames = { output: makeFrames(), errors: makeFrames() };
  const streams = [
    [output, frames.output],
    [errors, frames.errors],
  ] as const;
  const closed = streams.map(([stream]) => new Promise((resolve) => stream.once("close", resolve)));
  for (const [stream, { take }] of streams) stream.on("data", take);
  let greeted: Promise<number> | undefined;
  return {
    greet({ before = "", keeper }) {
      const mark = newMark(random);
      greeted = frames.output.expect(mark, () => {});
      void frames.errors.expect(newMark(random), keeper.keepErrors);
      control.write(`exec 3>&1 4>&2; ${before} builtin printf '${printable(mark)}0\\000' >&3\n`);
      return greeted;
    },
    async run(request, { keepOutput, keepErrors }) {
      await greeted;
      const mark = newMark(random);
      const outputEnds = frames.output.expect(mark, (bytes) => {
        keepOutput(bytes);
        request.onOutput?.(bytes);
      });
      const errorsEnd =
        request.isErrorApart === true
          ? frames.errors.expect(mark, (bytes) => {
              keepErrors(bytes);
              request.onErrors?.(bytes);
            })
          : undefined;
      for (const piece of scriptOf(request, { mark, stdinFile })) control.write(piece);
      const [code] = await Promise.all([outputEnds, errorsEnd]);
      return code;
    },
    async close() {
      for (const [stream] of streams) stream.resume();
      await Promise.all(closed);
      for (const each of Object.values(frames)) each.end();
      control.destroy();
    },
  };
}

/** 128 bits: what a program writes by chance or on purpose is not this. */
const newMark = (random: Random) => random.bytes(16).toString("hex");

const printable = (mark: string) => markText(mark).replace("\0", "\\000");

function scriptOf(
  { command, stdin, isErrorApart }: ExecRequest,
  { mark, stdinFile }: { mark: string; stdinFile: string },
): (string | Uint8Array)[] {
  const line =
    typeof command === "string" ? command : `(builtin exec -- ${command.map(shellWord).join(" ")})`;
  const errors = isErrorApart === true ? 4 : 3;
  const input = stdin === undefined ? "/dev/null" : stdinFile;
  const ending = `builtin printf '${printable(mark)}%s\\000' "$?"`;
  return [
    ...(stdin === undefined || stdin.length === 0
      ? []
      : [
          `/usr/bin/head -c ${stdin.length} >${stdinFile} 2>&3 3>&- 4>&- || builtin exit 125\n`,
          stdin,
        ]),
    ...(stdin?.length === 0 ? [`builtin : >${stdinFile}\n`] : []),
    `{ builtin eval ${shellWord(line)}\n} <${input} >&3 2>&${errors} 3>&- 4>&-\n`,
    // This line is read when the call has ended: until then no program of it can know the mark.
    `${ending} >&3${errors === 4 ? ` && builtin printf '${printable(mark)}0\\000' >&4` : ""}\n`,
  ];
}

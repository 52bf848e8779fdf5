// Pipes between the server and a sandbox. What Node.js calls a pipe is a pair of sockets: `echo x >/dev/stdout` fails
// on it. A FIFO is a real one; its file serves again once both sides have closed it.
import { execFile } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Pipes {
  /** Descriptors for the child's 0, 1 and 2: to be closed once it has them. */
  child: readonly [number, number, number];
  control: Socket;
  output: Socket;
  errors: Socket;
  closeChildSide(): void;
  /** The files are free for others. Only when no process has them open any more. */
  release(): void;
}

export interface PipePool {
  take(): Promise<Pipes>;
}

const ends = ["control", "output", "errors"] as const;

export function makePipePool(directory: string): PipePool {
  const free: number[] = [];
  let made = 0;
  const fileOf = (slot: number, end: (typeof ends)[number]) => join(directory, `${slot}-${end}`);

  const makeSlot = async (): Promise<number> => {
    made += 1;
    const slot = made;
    // Who opens /dev/stdout inside opens the file anew, and the session's uid is not ours. The directory is closed.
    const files = ends.map((end) => fileOf(slot, end));
    await promisify(execFile)("mkfifo", ["-m", "666", ...files], { env: {} });
    return slot;
  };

  return {
    async take() {
      const slot = free.pop() ?? (await makeSlot());
      const [control, output, errors] = ends.map((end) => openBoth(fileOf(slot, end)));
      if (control === undefined || output === undefined || errors === undefined) throw new Error();
      const child = [control.reader, output.writer, errors.writer] as const;
      return {
        child,
        control: new Socket({ fd: control.writer, readable: false, writable: true }),
        output: new Socket({ fd: output.reader, readable: true, writable: false }),
        errors: new Socket({ fd: errors.reader, readable: true, writable: false }),
        closeChildSide: () => child.forEach((descriptor) => closeSync(descriptor)),
        release: () => void free.push(slot),
      };
    },
  };
}

/** Opened for both first: to open one side alone waits for the other. */
function openBoth(file: string): { reader: number; writer: number } {
  const both = openSync(file, constants.O_RDWR);
  const reader = openSync(file, constants.O_RDONLY);
  const writer = openSync(file, constants.O_WRONLY);
  closeSync(both);
  return { reader, writer };
}

// The connection of one server to its database, which can be stopped at the moments that matter to a write.
import { mkdirSync } from "node:fs";
import type { Socket } from "node:net";
import type { ConnectionSettings } from "../../kernel/sql/connection.ts";
import { openInterceptedSocket } from "../intercepted-socket.ts";

/** `writing`: lines are in the file, rows in an open transaction; `committed`: the server knows of no commit. */
export type Moment = "any" | "writing" | "committed";

export interface PausableSocket extends AsyncDisposable {
  connection: ConnectionSettings;
  /** From the next such answer on, its connection says nothing more. */
  holdAt(moment: Moment): void;
  isHeld(): boolean;
  /** What was held goes on. */
  release(): void;
  /** Every connection breaks, and what was held is lost. */
  cut(): void;
}

/** How PostgreSQL ends the answer to the statement that enters results, and to a commit. */
const marks = { writing: "INSERT 0 1\0", committed: "COMMIT\0" };

export async function openPausableSocket(
  to: ConnectionSettings,
  directory: string,
): Promise<PausableSocket> {
  mkdirSync(directory, { recursive: true });
  const held = new Map<Socket, Buffer[]>();
  let mark: string | undefined;
  const intercepted = await openInterceptedSocket(to, directory, (near, far) => {
    near.on("data", (chunk: Buffer) => far.write(chunk));
    far.on("data", (chunk: Buffer) => {
      if (mark !== undefined && !held.has(near) && chunk.includes(mark)) held.set(near, []);
      const waiting = held.get(near);
      if (waiting === undefined) near.write(chunk);
      else waiting.push(chunk);
    });
    near.once("close", () => held.delete(near));
  });
  return {
    connection: intercepted.connection,
    holdAt: (moment) => {
      mark = moment === "any" ? undefined : marks[moment];
    },
    isHeld: () => held.size > 0,
    release: () => {
      mark = undefined;
      for (const [near, chunks] of held) for (const chunk of chunks) near.write(chunk);
      held.clear();
    },
    cut: () => {
      mark = undefined;
      held.clear();
      for (const socket of intercepted.sockets) socket.destroy();
    },
    [Symbol.asyncDispose]: () => intercepted.close(),
  };
}

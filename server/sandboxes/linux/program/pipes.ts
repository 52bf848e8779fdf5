// Pipes between the server and a sandbox. What Node.js gives a child are pairs of sockets, and `echo x >/dev/stdout`
// fails on those; a FIFO would show the path of its file in /proc/self/fd. So the child makes pipes, and the
// server opens its own ends of them by way of /proc (shell/pipes.ts).
import { channelAtStart, channelPlace } from "./listener.ts";
import type { Plan } from "./plan-types.ts";
import type { Program } from "./program.ts";

/** Reading and writing ends. Nothing else is open but 0, 1, 2 and the directory of the folders. */
export const pipeEnds = { control: [4, 5], output: [6, 7], errors: [8, 9] } as const;

/**
 * Comes when the workspace and the folders are there. Says on descriptor 2 that the pipes are, and goes on when 0 says
 * that they were opened.
 */
export function makePipes(
  program: Program,
  { owner, hasDoor }: Pick<Plan, "owner" | "hasDoor">,
): void {
  const closeOnExec = 0o2_000_000;
  if (hasDoor) program.call("dup3", channelAtStart, channelPlace, closeOnExec);
  for (const [reader, writer] of Object.values(pipeEnds)) {
    program.call("pipe2", Buffer.alloc(8), closeOnExec);
    if (owner === undefined) continue;
    // Who opens /dev/stdout opens the pipe anew, and is asked who it is.
    const emptyPath = 0x1000;
    for (const end of [reader, writer]) program.call("fchownat", end, "", owner, owner, emptyPath);
  }
  program.call("write", 2, "r", 1);
  program.call("read", 0, Buffer.alloc(8), 1);
  program.call("dup3", pipeEnds.control[0], 0, 0);
  program.call("dup3", pipeEnds.output[1], 1, 0);
  program.call("dup3", pipeEnds.errors[1], 2, 0);
  const last = 0xffff_ffff;
  program.call("close_range", 3, hasDoor ? channelPlace - 1 : last, 0);
  if (hasDoor) program.call("close_range", channelPlace + 1, last, 0);
}

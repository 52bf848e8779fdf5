// Pipes between the server and a sandbox. What Node.js gives a child are pairs of sockets, and `echo x >/dev/stdout`
// fails on those; a FIFO would show the path of its file in /proc/self/fd. So the child makes pipes, and the
// server opens its own ends of them by way of /proc (shell/pipes.ts).
import { channelAtStart, channelPlace } from "./listener.ts";
import type { Plan } from "./plan-types.ts";
import type { Program } from "./program.ts";
import { firstFree } from "./steps.ts";

/** Reading and writing ends. Nothing else is open but 0, 1, 2 and the directory of the folders. */
export const pipeEnds = { control: [4, 5], output: [6, 7], errors: [8, 9] } as const;
/** Of the second shell. */
export const secondPipeEnds = { control: [10, 11], output: [12, 13], errors: [14, 15] } as const;
/** Where the first shell finds what it hands to the second one, and then closes. */
export const secondPlaces = { control: 21, output: 22, errors: 23 } as const;

/**
 * Comes when the workspace and the folders are there. Says on descriptor 2 that the pipes are, and goes on when 0 says
 * that they were opened.
 */
export function makePipes(
  program: Program,
  { owner, hasDoor, hasSecondShell }: Pick<Plan, "owner" | "hasDoor" | "hasSecondShell">,
): void {
  const closeOnExec = 0o2_000_000;
  if (hasDoor) program.call("dup3", channelAtStart, channelPlace, closeOnExec);
  const second = hasSecondShell ? Object.values(secondPipeEnds) : [];
  for (const [reader, writer] of [...Object.values(pipeEnds), ...second]) {
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
  const kept = hasDoor ? [channelPlace] : [];
  if (hasSecondShell) {
    const { control, output, errors } = secondPlaces;
    program.call("dup3", secondPipeEnds.control[0], control, 0);
    program.call("dup3", secondPipeEnds.output[1], output, 0);
    program.call("dup3", secondPipeEnds.errors[1], errors, 0);
    kept.push(control, output, errors);
  }
  closeOthers(program, kept);
}

/** All from the first free one on, but these, which are in their order. */
function closeOthers(program: Program, kept: readonly number[]): void {
  const last = 0xffff_ffff;
  let from = firstFree;
  for (const descriptor of kept) {
    if (from < descriptor) program.call("close_range", from, descriptor - 1, 0);
    from = descriptor + 1;
  }
  program.call("close_range", from, last, 0);
}

/**
 * For the first shell: starts the second one. In the background twice: no child that `wait` waits for, and none that
 * `jobs` lists.
 */
export const startSecond = (() => {
  const { control, output, errors } = secondPlaces;
  const closed = `${control}<&- ${output}>&- ${errors}>&-`;
  const second = `exec /bin/bash --noprofile --norc -s <&${control} >&${output} 2>&${errors}`;
  return `( ${second} ${closed} 3>&- 4>&- & ); exec ${closed}`;
})();

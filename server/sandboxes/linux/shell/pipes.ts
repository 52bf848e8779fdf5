// The server's ends of the pipes that a sandbox has made: see program/pipes.ts.
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { pipeEnds, secondPipeEnds } from "../program/pipes.ts";
import { firstFree } from "../program/steps.ts";

export interface ShellPipes {
  control: Socket;
  output: Socket;
  errors: Socket;
}

export interface Pipes {
  first: ShellPipes;
  second?: ShellPipes;
  /** A descriptor of the directory of the folders, as only the server may write there. */
  folders?: number;
}

export function openPipes(pid: number, hasSecondShell: boolean): Pipes {
  const opened: number[] = [];
  const open = (end: number, flags: number): number => {
    const descriptor = openSync(`/proc/${pid}/fd/${end}`, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const openShell = ({ control, output, errors }: typeof pipeEnds | typeof secondPipeEnds) => [
    open(control[1], constants.O_WRONLY),
    open(output[0], constants.O_RDONLY),
    open(errors[0], constants.O_RDONLY),
  ];
  try {
    const folders = open(firstFree, constants.O_RDONLY | constants.O_DIRECTORY);
    const first = openShell(pipeEnds);
    const second = hasSecondShell ? openShell(secondPipeEnds) : undefined;
    return { folders, first: socketsOf(first), ...(second && { second: socketsOf(second) }) };
  } catch (error) {
    opened.forEach((descriptor) => closeSync(descriptor));
    throw error;
  }
}

function socketsOf(descriptors: readonly number[]): ShellPipes {
  const [control, output, errors] = descriptors as [number, number, number];
  return {
    control: new Socket({ fd: control, readable: false, writable: true }),
    output: new Socket({ fd: output, readable: true, writable: false }),
    errors: new Socket({ fd: errors, readable: true, writable: false }),
  };
}

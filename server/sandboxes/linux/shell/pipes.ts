// The server's ends of the pipes that a sandbox has made: see program/pipes.ts.
import { closeSync, constants, openSync } from "node:fs";
import { Socket } from "node:net";
import { pipeEnds } from "../program/pipes.ts";
import { firstFree } from "../program/steps.ts";

export interface Pipes {
  control: Socket;
  output: Socket;
  errors: Socket;
  /** A descriptor of the directory of the folders, as only the server may write there. */
  folders?: number;
}

export function openPipes(pid: number): Pipes {
  const open = (end: number, flags: number) => openSync(`/proc/${pid}/fd/${end}`, flags);
  const opened: number[] = [];
  try {
    opened.push(open(firstFree, constants.O_RDONLY | constants.O_DIRECTORY));
    opened.push(open(pipeEnds.control[1], constants.O_WRONLY));
    opened.push(open(pipeEnds.output[0], constants.O_RDONLY));
    opened.push(open(pipeEnds.errors[0], constants.O_RDONLY));
  } catch (error) {
    opened.forEach((descriptor) => closeSync(descriptor));
    throw error;
  }
  const [folders, control, output, errors] = opened as [number, number, number, number];
  return {
    folders,
    control: new Socket({ fd: control, readable: false, writable: true }),
    output: new Socket({ fd: output, readable: true, writable: false }),
    errors: new Socket({ fd: errors, readable: true, writable: false }),
  };
}

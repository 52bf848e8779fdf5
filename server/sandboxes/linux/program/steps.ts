// Flags of the system calls that make a sandbox, and what several parts of it do.
import type { Program } from "./program.ts";

/** The working directory (AT_FDCWD). */
export const here = -100n;
/** The descriptor that is opened next: the runner has closed all others from here on. */
export const firstFree = 3;
/** Of mount(2). */
export const mounts = {
  bind: 0x1000,
  recursive: 0x4000,
  isPrivate: 0x4_0000,
  readOnly: 1,
  noSetuid: 2,
  noDevices: 4,
  noExec: 8,
};
const writeAndCreate = 0o101;
export const newMounts = 0x2_0000;
export const newNetwork = 0x4000_0000;

export function writeFile(program: Program, path: string, text: string): void {
  program.call("openat", here, path, writeAndCreate, 0o644);
  if (text !== "") program.call("write", firstFree, text, Buffer.byteLength(text));
  program.call("close", firstFree);
}

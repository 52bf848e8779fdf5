// The runner: a static executable without a library that reads a list of system calls from its standard input and runs
// them. It is written here, byte by byte, so that no machine needs a compiler or a package to make sandboxes.
import type { Machine } from "../system_calls/numbers.ts";
import { programAddress, programBytesMax } from "./program.ts";

/*
 * What both texts do:
 *
 *   prctl(PR_SET_PDEATHSIG, SIGKILL); close_range(3, all)
 *   read 8 bytes to programAddress: a length; then that many behind it; at the end of the input exit(124)
 *   for each entry: load number and six arguments, make the call; eighth field: what is expected
 *     1 anything: go on
 *     a result below 0: put it into the entry, write the entry to descriptor 2, exit(125)
 *     2 fork: in the child (result 0) go on; in the parent wait4(child) and exit with its code, or 128 + its signal
 */
const code: Record<Machine, string> = {
  x64: `
    b89d000000bf01000000be090000000f05 b8b4010000bf0300000083ceff31d20f05
    41bc0000600041bd080000004589e631ed
    31c031ff4c89f64c89ea0f054885c07e144901c64929c575e785ed7514ffc54d8b2c24ebdb
    bf7c000000b8e70000000f05
    4983c408
    498b0424498b7c2408498b742410498b5424184d8b5424204d8b4424284d8b4c24300f05
    498b4c243880f901740f4885c0781080f90275054885c0752a
    4983c440ebbd
    49890424b801000000bf020000004c89e6ba400000000f05bf7d000000b8e70000000f05
    4889c74989c4be0000600031d24531d2b83d0000000f0583f8fc4c89e074e1
    8b3c250000600089f883e07f74088db880000000eb03c1ef08
    400fb6ffb8e70000000f05`,
  arm64: `
    e81480d2200080d2210180d2010000d4 883680d2600080d201008012020080d2010000d4
    130ca0d2140180d2f50313aa160080d2
    e80780d2000080d2e10315aae20314aa010000d41f0000f10d010054b502008b940200ebe1feff54
    f60000b5360080d2740240f9f3ffff17
    800f80d2c80b80d2010000d4
    73220091
    680240f9608640a9628e41a9649642a9010000d4
    691e40f9291d40923f0500f1a0000054c000f8b73f0900f141000054800100b5
    73020191f2ffff17
    600200f9080880d2400080d2e10313aa020880d2010000d4a00f80d2c80b80d2010000d4
    f30300aae00313aa010ca0d2020080d2030080d2882080d2010000d41f1000b120ffff54
    010ca0d2200040b902180072600000544000021102000014
    003c0853c80b80d2010000d4`,
};

const codeAddress = 0x40_0000;
const headersBytes = 64 + 2 * 56;
const elfMachines: Record<Machine, number> = { x64: 62, arm64: 183 };

/** An ELF file: 64 bytes of head, two segments, and the code. */
export function makeRunner(machine: Machine): Buffer {
  const text = Buffer.from(code[machine].replaceAll(/\s/g, ""), "hex");
  const head = Buffer.alloc(headersBytes);
  head.write("\x7fELF\x02\x01\x01", "latin1");
  head.writeUInt16LE(2, 16); // an executable
  head.writeUInt16LE(elfMachines[machine], 18);
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(BigInt(codeAddress + headersBytes), 24); // where it begins
  head.writeBigUInt64LE(64n, 32); // where the segments are listed
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(2, 56);
  const [readable, writable, executable] = [4, 2, 1];
  const fileBytes = headersBytes + text.length;
  segment(head, 64, readable | executable, codeAddress, fileBytes, fileBytes);
  segment(head, 120, readable | writable, programAddress, 0, programBytesMax);
  return Buffer.concat([head, text]);
}

function segment(
  head: Buffer,
  at: number,
  flags: number,
  address: number,
  fileBytes: number,
  memoryBytes: number,
): void {
  head.writeUInt32LE(1, at); // to be loaded
  head.writeUInt32LE(flags, at + 4);
  head.writeBigUInt64LE(BigInt(address), at + 16);
  head.writeBigUInt64LE(BigInt(address), at + 24);
  head.writeBigUInt64LE(BigInt(fileBytes), at + 32);
  head.writeBigUInt64LE(BigInt(memoryBytes), at + 40);
  head.writeBigUInt64LE(4096n, at + 48);
}

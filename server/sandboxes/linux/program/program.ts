// A list of system calls as the runner takes it: fixed-size entries, then the texts and structures they point to.
import assert from "node:assert/strict";
import { type Machine, numberOf, type SystemCallName } from "../system_calls/numbers.ts";

/** Where the runner puts what it reads: see runner.ts. */
export const programAddress = 0x60_0000;
export const programBytesMax = 1024 * 1024;
const headBytes = 8;
const stepBytes = 64;

/** A number, or what stands in memory and is handed over by its address. */
export type Argument =
  | number
  | bigint
  | string
  | Buffer
  | { strings: readonly string[] }
  | { filter: Buffer }
  | { message: string; descriptor: number };

type Expect = "success" | "anything" | "fork";
const expectCodes: Record<Expect, bigint> = { success: 0n, anything: 1n, fork: 2n };

export interface Step {
  name: SystemCallName;
  args: readonly Argument[];
  expect: Expect;
}

export interface Program {
  readonly steps: readonly Step[];
  /** Runs next; the first call that fails ends the program. */
  call(name: SystemCallName, ...args: Argument[]): void;
  /** As `call`, but the program goes on whatever comes of it. */
  attempt(name: SystemCallName, ...args: Argument[]): void;
  /** What follows runs in the child; the parent waits for it and ends as it did. */
  fork(): void;
}

export function makeProgram(): Program {
  const steps: Step[] = [];
  const sigchld = 17;
  return {
    steps,
    call: (name, ...args) => void steps.push({ name, args, expect: "success" }),
    attempt: (name, ...args) => void steps.push({ name, args, expect: "anything" }),
    fork: () => void steps.push({ name: "clone", args: [sigchld, 0, 0, 0, 0], expect: "fork" }),
  };
}

export function encodeProgram({ steps }: Program, machine: Machine): Buffer {
  const data = makeData(programAddress + headBytes + steps.length * stepBytes);
  const table = Buffer.alloc(steps.length * stepBytes);
  for (const [index, { name, args, expect }] of steps.entries()) {
    const at = index * stepBytes;
    table.writeBigUInt64LE(BigInt(numberOf(name, machine)), at);
    for (const [position, arg] of args.entries())
      table.writeBigUInt64LE(data.place(arg), at + 8 * (position + 1));
    table.writeBigUInt64LE(expectCodes[expect] | (BigInt(index) << 32n), at + 56);
  }
  const body = Buffer.concat([table, data.bytes()]);
  assert.ok(headBytes + body.length <= programBytesMax, "a program fits into the runner's memory");
  const head = Buffer.alloc(headBytes);
  head.writeBigUInt64LE(BigInt(body.length));
  return Buffer.concat([head, body]);
}

function makeData(start: number) {
  const parts: Buffer[] = [];
  let end = start;
  const put = (bytes: Buffer): bigint => {
    const address = BigInt(end);
    // Structures with addresses in them are read at multiples of eight.
    const padded = Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
    parts.push(padded);
    end += padded.length;
    return address;
  };
  const text = (value: string) => put(Buffer.from(`${value}\0`));
  const place = (arg: Argument): bigint => {
    if (typeof arg === "bigint") return BigInt.asUintN(64, arg);
    if (typeof arg === "number") return BigInt.asUintN(64, BigInt(arg));
    if (typeof arg === "string") return text(arg);
    if (Buffer.isBuffer(arg)) return put(arg);
    if ("filter" in arg) return put(filterHead(arg.filter.length / 8, put(arg.filter)));
    if ("message" in arg) {
      const words = Buffer.from(arg.message);
      const part = put(addresses([put(words), BigInt(words.length)]));
      return put(messageHead(part, put(handedOver(arg.descriptor))));
    }
    return put(addresses([...arg.strings.map(text), 0n]));
  };
  return { place, bytes: () => Buffer.concat(parts) };
}

/** `struct sock_fprog`. */
function filterHead(count: number, address: bigint): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt16LE(count);
  head.writeBigUInt64LE(address, 8);
  return head;
}

/** `struct msghdr` with one part and the descriptor that goes along. */
function messageHead(parts: bigint, control: bigint): Buffer {
  const head = Buffer.alloc(56);
  head.writeBigUInt64LE(parts, 16);
  head.writeBigUInt64LE(1n, 24);
  head.writeBigUInt64LE(control, 32);
  head.writeBigUInt64LE(24n, 40);
  return head;
}

/** `struct cmsghdr`: SCM_RIGHTS of SOL_SOCKET. */
function handedOver(descriptor: number): Buffer {
  const control = Buffer.alloc(24);
  control.writeBigUInt64LE(20n);
  control.writeUInt32LE(1, 8);
  control.writeUInt32LE(1, 12);
  control.writeInt32LE(descriptor, 16);
  return control;
}

function addresses(values: readonly bigint[]): Buffer {
  const list = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) list.writeBigUInt64LE(value, index * 8);
  return list;
}

/** What the runner writes when a call fails: its entry, with what the kernel answered in place of the number. */
export function readFailure(report: Buffer, { steps }: Program): string | undefined {
  if (report.length !== stepBytes) return undefined;
  const errno = Number(-report.readBigInt64LE(0));
  const index = Number(report.readBigUInt64LE(56) >> 32n);
  const step = steps[index];
  if (step === undefined || errno <= 0 || errno > 4095) return undefined;
  const words = step.args.filter((arg) => typeof arg === "string").join(" ");
  return `${step.name}${words === "" ? "" : ` ${words}`}: ${errorNames[errno] ?? `error ${errno}`}`;
}

const errorNames: Record<number, string> = {
  1: "not permitted (EPERM)",
  2: "no such file or directory (ENOENT)",
  6: "no such device (ENXIO)",
  11: "too many already (EAGAIN)",
  12: "out of memory (ENOMEM)",
  13: "permission denied (EACCES)",
  16: "busy (EBUSY)",
  17: "exists already (EEXIST)",
  19: "this kernel has no such file system or device (ENODEV)",
  20: "not a directory (ENOTDIR)",
  22: "invalid (EINVAL)",
  28: "no space (ENOSPC)",
  38: "this kernel has no such call (ENOSYS)",
};

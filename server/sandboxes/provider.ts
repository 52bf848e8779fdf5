// What a sandbox provider is: the only way in which anything starts a process for an agent.
import type { Socket } from "node:net";

export const guaranteeNames = [
  "fs",
  "processes",
  "memory",
  "cpu",
  "disk",
  "network",
  "kernel",
] as const;
export type GuaranteeName = (typeof guaranteeNames)[number];

export interface Guarantee {
  level: "enforced" | "best_effort" | "none";
  /** One sentence: what holds, or what does not. */
  reason: string;
  /** What an operator does for more; absent where nothing is missing. */
  mend?: string;
}

export interface Probe {
  /** Whether sandboxes can be made here at all. */
  ok: boolean;
  /** One sentence: how they are made, or why not. */
  reason: string;
  mend?: string;
  guarantees: Record<GuaranteeName, Guarantee>;
}

export interface SandboxLimits {
  processesMax: number;
  memoryBytes: number;
  cpus: number;
  workspaceBytes: number;
  tmpBytes: number;
}

/** What the connections lead to that a sandbox opens to the proxy of its environment variables. */
export interface SandboxNetwork {
  /** Of this sandbox alone: who calls is known by where the call arrives, and nothing inside could be stolen. */
  connect(socket: Socket): void;
  /** The sandbox has stopped; what still goes on for it ends. It may start again. */
  endAll(): void;
}

/**
 * A folder beside `/workspace`. What is in one that is read-only or writable counts against `workspaceBytes`, and stays
 * as long as `/workspace` does; what is in memory has `tmpBytes` for itself, as `/tmp` has, and counts as memory.
 */
export interface SandboxFolder {
  /** Below `/mnt`, in steps of letters, digits, `.`, `_` and `-`. */
  path: string;
  /** The agent cannot change what is read-only, `fill` does. In memory is empty at each start; others may lie in it. */
  kind: "read_only" | "writable" | "in_memory";
}

/** What one sandbox had in a writable folder, shown read-only to others at the same path. */
export interface SandboxLayer {
  /** Letters, digits, `_` and `-`. */
  name: string;
  /** Of the folder. */
  path: string;
  /** Names at the root of the sandbox, each a link to what it says, below the folder. */
  links?: Readonly<Record<string, string>>;
}

export interface FolderFile {
  /** Below the folder. */
  path: string;
  content: Uint8Array | AsyncIterable<Uint8Array>;
  isExecutable?: boolean;
}

export interface FolderChange {
  /** All that was there goes first. */
  isWhole?: boolean;
  removed?: readonly string[];
  files?: readonly FolderFile[];
}

export interface SandboxSpec {
  /** Letters, digits, `_` and `-`: one sandbox each. */
  sessionId: string;
  limits: SandboxLimits;
  /** Nothing that is secret: the agent can read all of it. */
  env: Readonly<Record<string, string>>;
  /** Without one it has its own loopback and nothing else. */
  network?: SandboxNetwork;
  folders?: readonly SandboxFolder[];
  /** A second shell waits in it, for what runs beside a call. */
  hasSecondShell?: boolean;
  /** It is there: `layers` of the provider lists it. */
  layer?: SandboxLayer;
}

export interface ExecRequest {
  /** A line for the shell that lives on from call to call, or a program with its arguments, run beside it. */
  command: string | readonly string[];
  stdin?: Uint8Array;
  timeoutMs: number;
  /** Of what is written no more than this is kept; the rest is read and dropped. */
  bytesMax: number;
  /** Standard error apart from standard output; else both are one stream, in the order in which they were written. */
  isErrorApart?: boolean;
  /** None of the agent's: that the shell is a new one is left for the next call that is. */
  isInternal?: boolean;
  /**
   * In the second shell: the call that runs meanwhile is not waited for, and goes on whatever becomes of this one. A
   * SandboxError where the sandbox does not run, or has no second shell any more.
   */
  isBeside?: boolean;
  /** Hears what is written as it comes, also what is beyond `bytesMax`. */
  onOutput?: (bytes: Buffer) => void;
  /** The same of standard error, where that is apart. */
  onErrors?: (bytes: Buffer) => void;
  signal?: AbortSignal;
}

export interface ExecResult {
  /** Null where the call did not come to its end by itself. */
  code: number | null;
  /** Standard output, and standard error too unless it was asked for apart. */
  output: Buffer;
  errors: Buffer;
  isTruncated: boolean;
  isTimedOut: boolean;
  /** The signal of the request ended it. */
  isAborted: boolean;
  /** The shell did not survive the call before, so this one found a new one: only files are left. */
  isRestarted: boolean;
}

export interface SandboxLayers {
  /** For `sessionId` of a sandbox in which the server works, such as for a layer. It goes with this process. */
  newSandboxId(): string;
  /** Ends that sandbox and keeps what it holds under this name, complete or not there. What is there already stays. */
  keep(sessionId: string, name: string): Promise<void>;
  /** The bytes that it takes on the disk; undefined where it is not there. */
  sizeOf(name: string): Promise<number | undefined>;
  /** Only when no sandbox shows it any more. */
  remove(name: string): Promise<void>;
  list(): Promise<string[]>;
}

export interface SandboxProvider {
  readonly name: string;
  readonly layers: SandboxLayers;
  probe(): Promise<Probe>;
  /** Makes the sandbox of a session, or does nothing where it is there: its `/workspace` is kept. */
  ensure(spec: SandboxSpec): Promise<void>;
  /** One at a time in each sandbox, in the order of the calls. Starts what is not running. */
  exec(sessionId: string, request: ExecRequest): Promise<ExecResult>;
  /** Changes what a read-only folder holds, also while a call runs: each file whole or not at all. */
  fill(sessionId: string, folder: string, change: FolderChange): Promise<void>;
  /** Ends every process; `/workspace` stays. */
  stop(sessionId: string): Promise<void>;
  /** Ends every process and deletes `/workspace`. */
  destroy(sessionId: string): Promise<void>;
  /** Sessions whose `/workspace` is here, also from before the server started. */
  list(): Promise<string[]>;
  /** Stops all that run. */
  close(): Promise<void>;
}

/** Why, and what an operator does about it. */
export const inWords = ({ reason, mend }: Pick<Guarantee, "reason" | "mend">): string =>
  mend === undefined ? reason : `${reason} ${mend}`;

/** A sandbox that could not be made or used, in a sentence for an operator. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
}

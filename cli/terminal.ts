// What a command has of the machine it runs on, and how it says that it cannot go on.

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** What was asked for: standard output. */
  write(text: string): void;
  /** The same for bytes, of which there may be many: resolves when there is room for more. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Everything else: standard error. */
  note(text: string): void;
  /** For notes of less weight; plain where colours are not wanted. */
  dim(text: string): string;
  /** For what was asked for; plain where colours are not wanted. */
  color(name: Color, text: string): string;
  /** Whether a person reads along. */
  isPerson: { input: boolean; output: boolean; notes: boolean };
  /** How wide the screen is that shows notes; 0 where that is not known. */
  columns(): number;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** The same as it comes. */
  input(): AsyncIterable<Uint8Array>;
  /** The line that a person writes; empty where nobody does. */
  readLine(): Promise<string>;
  /** Opens a file in an editor, as a shell would; resolves with its exit code, null after a signal. */
  edit(editor: string, file: string): Promise<number | null>;
  /** Shows an address in the person's browser; false where there is none. */
  openBrowser(address: string): Promise<boolean>;
  /** So many random bytes, as base64url. */
  randomBase64url(bytes: number): string;
  fetch: typeof fetch;
  clock: Clock;
  /** Calls back at Ctrl-C, instead of ending at once; the result takes that back. */
  onInterrupt(act: () => void): () => void;
}

export type Color = "red" | "green" | "cyan" | "bold";

/** As of kernel/base, which commands that speak HTTP do not reach. */
export interface Clock {
  now(): Date;
  monotonicMs(): number;
  /** Resolves after `ms`, or at once with `false` when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<boolean>;
}

/** A sentence for a person, and the exit code that goes with it. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}

export const exitCodes = {
  usage: 2,
  credential: 3,
  someFailed: 4,
  different: 4,
  interrupted: 130,
} as const;

// What a command uses of the machine it runs on, and how it reports that it cannot go on.

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** The requested output: standard output. */
  write(text: string): void;
  /** The same for bytes, of which there may be many: resolves when there is room for more. */
  writeBytes(bytes: Uint8Array): Promise<void>;
  /** Everything else: standard error. */
  note(text: string): void;
  /** For notes of less weight; plain where colours are not wanted. */
  dim(text: string): string;
  /** For the requested output; plain where colours are not wanted. */
  color(name: Color, text: string): string;
  /** Whether a person reads along. */
  isPerson: { input: boolean; output: boolean; notes: boolean };
  /** The width of the screen that shows notes; 0 where it is unknown. */
  columns(): number;
  /** The width of the screen that shows the requested output; 0 where that is none, and nothing is cut. */
  screenColumns(): number;
  /** All of standard input. */
  readInput(): Promise<string>;
  /** The same in pieces, as they come. */
  input(): AsyncIterable<Uint8Array>;
  /** The line that a person types; empty without a person, or when the signal aborts. */
  readLine(signal?: AbortSignal): Promise<string>;
  /** Opens a file in an editor, as a shell would; resolves with its exit code, null after a signal. */
  edit(editor: string, file: string): Promise<number | null>;
  /** Shows an address in the person's browser; false where there is none. */
  openBrowser(address: string): Promise<boolean>;
  /** So many random bytes, as base64url. */
  randomBase64url(bytes: number): string;
  fetch: typeof fetch;
  clock: Clock;
  /** Calls back at Ctrl-C, instead of ending at once; the result undoes that. */
  onInterrupt(act: () => void): () => void;
}

export type Color = "red" | "green" | "yellow" | "cyan" | "bold";

/** Like the clock of kernel/base, which commands that speak HTTP do not import. */
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
  waiting: 4,
  interrupted: 130,
} as const;

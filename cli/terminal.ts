// What a command has of the machine it runs on, and how it says that it cannot go on.

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>;
  /** What was asked for: standard output. */
  write(text: string): void;
  /** Everything else: standard error. */
  note(text: string): void;
  /** For notes of less weight; plain where colours are not wanted. */
  dim(text: string): string;
  /** Whether a person reads along. */
  isPerson: { output: boolean; notes: boolean };
  /** All of standard input. */
  readInput(): Promise<string>;
  /** Calls back at Ctrl-C, instead of ending at once; the result takes that back. */
  onInterrupt(act: () => void): () => void;
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

export const exitCodes = { usage: 2, credential: 3, interrupted: 130 } as const;

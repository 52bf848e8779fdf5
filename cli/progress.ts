// Progress: a bar that a person sees move, or a line now and then for a log.
import type { Terminal } from "./terminal.ts";
import { formatSize } from "./format.ts";

/** One line of the screen, redrawn in place; nothing where there is no screen. */
export interface ProgressBar {
  isThere: boolean;
  draw(share: number | undefined, text: string): void;
  /** Removes the line from the screen, so that other text can follow. */
  clear(): void;
}

const redrawMs = 100;
const barColumns = 24;

export function makeProgressBar(
  { env, isPerson, columns, note, clock }: Terminal,
  isQuiet: boolean,
): ProgressBar {
  const isThere = !isQuiet && isPerson.notes && columns() > 0 && env["TERM"] !== "dumb";
  let drawnMs = -Infinity;
  let isDrawn = false;
  return {
    isThere,
    draw: (share, text) => {
      const now = clock.monotonicMs();
      if (!isThere || (now - drawnMs < redrawMs && share !== 1)) return;
      drawnMs = now;
      isDrawn = true;
      // One column stays free: a full line would move the cursor to the next one.
      note(`\r\u001b[K${lineOf(share, text).slice(0, columns() - 1)}`);
    },
    clear: () => {
      if (isDrawn) note("\r\u001b[K");
      isDrawn = false;
      drawnMs = -Infinity;
    },
  };
}

function lineOf(share: number | undefined, text: string): string {
  if (share === undefined) return text;
  const full = Math.round(share * barColumns);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${"█".repeat(full)}${"░".repeat(barColumns - full)} ${percent}  ${text}`;
}

export interface ByteProgressOptions {
  /** The verb for the bytes: `Sent`. */
  word: string;
  isQuiet: boolean;
  /** Undefined where the size is known only at the end. */
  bytesInAll: number | undefined;
  /** Bytes that exist at the beginning. */
  bytesBefore?: number;
}

/** Without a known size, a log has one line for so many bytes; with one, a line for each tenth. */
const stepBytes = 25_000_000;

/** Counts bytes: `Sent 12 MB of 210 MB`. */
export function makeByteProgress(terminal: Terminal, options: ByteProgressOptions) {
  const { word, isQuiet, bytesInAll, bytesBefore = 0 } = options;
  const bar = makeProgressBar(terminal, isQuiet);
  const step = bytesInAll === undefined ? stepBytes : bytesInAll / 10;
  let bytes = bytesBefore;
  let lastSteps = Math.floor(bytes / step);
  return {
    add: (more: number): void => {
      bytes += more;
      const text = `${word} ${formatSize(bytes)}`;
      const line = bytesInAll === undefined ? text : `${text} of ${formatSize(bytesInAll)}`;
      bar.draw(bytesInAll === undefined ? undefined : bytes / bytesInAll, line);
      const steps = Math.floor(bytes / step);
      // The next sentence says that all bytes are there.
      if (bar.isThere || isQuiet || steps === lastSteps || bytes === bytesInAll) return;
      lastSteps = steps;
      terminal.note(`${line}\n`);
    },
    end: bar.clear,
  };
}

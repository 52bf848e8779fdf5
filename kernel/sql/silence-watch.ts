// Notices a database that has fallen silent, which no socket tells: a stopped process, a frozen machine, a cut cable.
import pg from "pg";
import type { Logger } from "../base/logger.ts";

export interface SilenceWatch {
  /** Runs a statement, which fails as with a lost connection when the whole database is silent meanwhile. */
  during<T>(client: pg.PoolClient, statement: () => Promise<T>): Promise<T>;
  /** The database does not answer just now; false again half a second after it does. */
  isSilent(): boolean;
  close(): void;
}

/** A statement takes 1 ms as a rule. One that takes this long is slow, or the database is silent. */
const doubtMs = 1_500;
const lookEveryMs = 500;
/** To a new connection, which takes 3 ms as a rule. Together with the doubt no caller waits longer than 6 s. */
const answerMsMax = 4_000;
const stepMs = 250;
/** Between two questions to a database that answers, while a slow statement goes on. */
const calmMs = 2_000;

/**
 * A limit on each statement would have to be either too short for the slow ones or too long for people
 * who wait: so when one is slow, the server is asked on a new connection whether it is there at all.
 */
export function openSilenceWatch(config: pg.ClientConfig, logger: Logger): SilenceWatch {
  const running = new Map<symbol, { client: pg.PoolClient; sinceMs: number }>();
  let silent = false;
  let asking = false;
  let calmUntilMs = 0;

  const look = async () => {
    const nowMs = performance.now();
    const doubtful = [...running.values()].some(({ sinceMs }) => nowMs - sinceMs > doubtMs);
    if (asking || !(silent || (doubtful && nowMs > calmUntilMs))) return;
    asking = true;
    const answered = await answers(config);
    asking = false;
    calmUntilMs = performance.now() + calmMs;
    if (answered === silent)
      logger.warn({}, answered ? "the database answers again" : "the database does not answer");
    silent = !answered;
    if (!silent) return;
    for (const { client, sinceMs } of running.values())
      if (performance.now() - sinceMs > doubtMs) client.connection.stream.destroy();
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  timer.unref();
  return {
    during: async (client, statement) => {
      const mark = Symbol();
      running.set(mark, { client, sinceMs: performance.now() });
      try {
        return await statement();
      } finally {
        running.delete(mark);
      }
    },
    isSilent: () => silent,
    close: () => clearInterval(timer),
  };
}

export const noSilenceWatch: SilenceWatch = {
  during: (_client, statement) => statement(),
  isSilent: () => false,
  close: () => {},
};

/** A refusal is an answer too: what it means, the statements learn themselves. */
async function answers(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config);
  client.on("error", () => {});
  const over = new AbortController();
  const answered = await Promise.race([
    client.connect().then(() => true, isAnswer),
    waitInVain(over.signal),
  ]);
  over.abort();
  // A silent server does not answer a goodbye either.
  if (answered) client.end().catch(() => {});
  else client.connection.stream.destroy();
  return answered;
}

function isAnswer(error: unknown): boolean {
  // EAGAIN: the queue of a unix socket is full, because the server does not accept.
  const { code } = error as { code?: string };
  return code !== "ETIMEDOUT" && code !== "EAGAIN";
}

/**
 * A process that was held up has read no answer meanwhile: its time passes in steps, and between two of them it reads
 * what has come. So a busy machine is not taken for a silent database.
 */
async function waitInVain(signal: AbortSignal): Promise<false> {
  for (let passedMs = 0; passedMs < answerMsMax && !signal.aborted; passedMs += stepMs)
    await new Promise((resolve) => setTimeout(resolve, stepMs).unref());
  return false;
}

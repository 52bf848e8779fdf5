// `plinth batch watch`: polls a batch until it has ended.
import { countsInWords, doneOf, sizeOf } from "../../client/batches/counts.ts";
import { ApiError, type Client } from "../../contract/client.ts";
import type { MessageBatch } from "../../contract/types.ts";
import type { Flags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { retrieveBatch } from "./retrieve-batch.ts";
import { makeProgressBar } from "../progress.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { formatDuration } from "../format.ts";
import { nextCommand, outcome } from "./format.ts";

/** A batch may take a day: the longer it is watched, the rarer the polls. */
const pauseMs = { least: 1_000, most: 10_000, perWatchedMs: 1 / 60 };
/** How long a server that does not answer is retried. */
const patienceMs = 5 * 60_000;
/** The speed is measured over the last so many milliseconds. */
const speedOverMs = 30_000;

export async function watch(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  await watchUntilEnd(terminal, clientOf(terminal, flags.url, ["PLINTH_API_KEY"]), id, flags);
}

export async function watchUntilEnd(
  terminal: Terminal,
  client: Client,
  id: string,
  flags: Flags,
): Promise<void> {
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  let batch: MessageBatch;
  try {
    batch = await untilEnd(terminal, client, id, flags, stopping.signal);
  } finally {
    release();
  }
  if (flags.json === true) terminal.write(`${JSON.stringify(batch)}\n`);
  else {
    terminal.write(`${id} ended: ${outcome(batch)}\n`);
    if (flags.quiet !== true)
      terminal.note(`${terminal.dim(`Read them: ${nextCommand(`results ${id}`, flags)}`)}\n`);
  }
  const { errored, expired } = batch.request_counts;
  if (errored + expired === 0) return;
  const types = [errored > 0 && "errored", expired > 0 && "expired"].filter(Boolean);
  const why =
    errored > 0 ? ` Why: ${nextCommand(`results ${id} --type ${types.join()}`, flags)}` : "";
  throw new CliError(
    `${plural(errored + expired, "request")} of the batch ${types.join(" or ")}.${why}`,
    exitCodes.someFailed,
  );
}

async function untilEnd(
  terminal: Terminal,
  client: Client,
  id: string,
  flags: Flags,
  signal: AbortSignal,
): Promise<MessageBatch> {
  const { clock } = terminal;
  const board = makeBoard(terminal, flags.json === true || flags.quiet === true);
  const poll = makePatience(terminal, () => retrieveBatch(client, id, signal), board.clear);
  const beganMs = clock.monotonicMs();
  const watchAgain = nextCommand(`watch ${id}`, flags);
  try {
    for (;;) {
      const batch = await withServerErrors(client, poll);
      if (batch !== undefined) board.show(batch);
      if (batch?.processing_status === "ended") return batch;
      const watchedMs = clock.monotonicMs() - beganMs;
      const { least, most, perWatchedMs } = pauseMs;
      await clock.sleep(Math.min(Math.max(watchedMs * perWatchedMs, least), most), signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (signal.aborted)
      throw new CliError(`The batch runs on. See it again: ${watchAgain}`, exitCodes.interrupted);
    throw error;
  } finally {
    board.clear();
  }
}

/** Undefined while the server is briefly unreachable: a later poll may succeed. */
function makePatience(
  { clock, note, dim }: Terminal,
  ask: () => Promise<MessageBatch>,
  beforeNote: () => void,
): () => Promise<MessageBatch | undefined> {
  let heardMs: number | undefined;
  let isAway = false;
  return async () => {
    try {
      const batch = await ask();
      heardMs = clock.monotonicMs();
      isAway = false;
      return batch;
    } catch (error) {
      const isHopeless = heardMs === undefined || clock.monotonicMs() - heardMs > patienceMs;
      if (isHopeless || !mayPass(error)) throw error;
      beforeNote();
      if (!isAway) note(`${dim("The server does not answer; waiting for it.")}\n`);
      isAway = true;
      return undefined;
    }
  };
}

const mayPass = (error: unknown) =>
  error instanceof TypeError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

function makeBoard(terminal: Terminal, isQuiet: boolean) {
  const bar = makeProgressBar(terminal, isQuiet);
  const speed = makeSpeed(terminal);
  let lastLine = "";
  return {
    clear: bar.clear,
    show: (batch: MessageBatch): void => {
      const [all, done] = [sizeOf(batch), doneOf(batch.request_counts)];
      const isCanceling = batch.processing_status === "canceling";
      // The remaining requests are under way: they end when they end.
      const pace = paceWords(speed(done), isCanceling ? 0 : all - done);
      const words = [
        ...(isCanceling ? ["canceling"] : []),
        `${formatCount(done)} of ${formatCount(all)}`,
        // Succeeded requests need no words.
        ...countsInWords(batch.request_counts, ["errored", "canceled", "expired"]),
      ];
      bar.draw(done / all, [...words, ...pace].join(", "));
      if (isQuiet || bar.isThere || batch.processing_status === "ended") return;
      const line = words.join(", ");
      if (line !== lastLine) terminal.note(`${batch.id}: ${[line, ...pace].join(", ")}\n`);
      lastLine = line;
    },
  };
}

/** Requests per second; undefined while there is nothing to measure. */
function makeSpeed({ clock }: Terminal): (done: number) => number | undefined {
  const samples: { ms: number; done: number }[] = [];
  return (done) => {
    const ms = clock.monotonicMs();
    samples.push({ ms, done });
    while (samples.length > 2 && ms - (samples[1]?.ms ?? ms) >= speedOverMs) samples.shift();
    const [first] = samples;
    if (first === undefined || ms === first.ms || done === first.done) return undefined;
    return ((done - first.done) / (ms - first.ms)) * 1_000;
  };
}

function paceWords(perSecond: number | undefined, left: number): string[] {
  if (perSecond === undefined || left === 0) return [];
  const rounded = perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
  return [`${rounded}/s`, `${formatDuration((left / perSecond) * 1_000)} left`];
}

// How fast batches go: worked out from what the page itself has seen of them, and from nothing else.
import type { Batch } from "../kit/server/api.ts";
import { doneOf } from "../../client/batches/counts.ts";

export interface Sample {
  atMs: number;
  done: number;
}

export interface Pace {
  /** Requests a second, of late; undefined until enough was seen. */
  perSecond: number | undefined;
  /** Undefined where it cannot be known. */
  leftMs: number | undefined;
}

/** What of the past counts as now. */
const windowMs = 30_000;
/** Results come in bursts: over less time than this a rate is a matter of luck. */
const leastMs = 3_000;
/** At one look a second, the last 20 minutes. */
const samplesMax = 1_200;

/** With one more look at it. */
export function noted(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.atMs <= last.atMs) return samples;
  return [...samples.slice(-samplesMax + 1), sample];
}

export function paceOf(samples: readonly Sample[], processing: number): Pace {
  const last = samples.at(-1);
  if (last === undefined) return { perSecond: undefined, leftMs: undefined };
  const since = last.atMs - windowMs;
  // The look before the window too: the window is whole only from there.
  const from = samples.findLast(({ atMs }) => atMs <= since) ?? samples[0] ?? last;
  const spanMs = last.atMs - from.atMs;
  const perSecond = ((last.done - from.done) / spanMs) * 1_000;
  // Whoever was seen doing nothing for a moment may only be about to begin.
  const isKnown = spanMs >= (perSecond > 0 ? leastMs : windowMs);
  if (!isKnown) return { perSecond: undefined, leftMs: undefined };
  return { perSecond, leftMs: perSecond > 0 ? (processing / perSecond) * 1_000 : undefined };
}

/** Requests a second between one look and the next, over as many steps as there is room for. */
export function ratesOf(samples: readonly Sample[], stepsMax: number): number[] {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs === first.atMs) return [];
  const stepMs = Math.max(leastMs, (last.atMs - first.atMs) / stepsMax);
  const rates: number[] = [];
  let from = first;
  for (const sample of samples) {
    const spanMs = sample.atMs - from.atMs;
    if (spanMs < stepMs) continue;
    rates.push(((sample.done - from.done) / spanMs) * 1_000);
    from = sample;
  }
  return rates;
}

/** `12 requests a second`, `34 requests a minute`. */
export function rateWords(perSecond: number): string {
  const [count, unit] =
    perSecond >= 1 || perSecond === 0 ? [perSecond, "second"] : [perSecond * 60, "minute"];
  const digits = count < 10 ? 1 : 0;
  const shown = count.toLocaleString("en", { maximumFractionDigits: digits });
  return `${shown} ${shown === "1" ? "request" : "requests"} a ${unit}`;
}

/** `about 3 minutes`. */
export function leftWords(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `about ${Math.ceil(seconds / 5) * 5} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `about ${minutes} minutes`;
  const hours = Math.round(seconds / 3_600);
  return hours < 48 ? `about ${hours} hours` : `about ${Math.round(hours / 24)} days`;
}

/** Everything seen since the tab was opened, so that going from the list to a batch forgets nothing. */
const seen = new Map<string, readonly Sample[]>();

export const samplesOf = (id: string): readonly Sample[] => seen.get(id) ?? [];

/** Remembers how far it is now; gives it back. */
export function watched(batch: Batch): Batch {
  const { id, processing_status: state, request_counts: counts } = batch;
  const samples = samplesOf(id);
  // Of what had ended when it was first seen there is nothing to say.
  if (state !== "ended" || (samples.length > 0 && (samples.at(-1)?.done ?? 0) < doneOf(counts)))
    seen.set(id, noted(samples, { atMs: performance.now(), done: doneOf(counts) }));
  return batch;
}

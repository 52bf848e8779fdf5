// How a slice is dealt out: the arithmetic of buckets and of money, without a database.
import { limits } from "../limits.ts";

/** What is in the database, read under the lock of the pool's row. */
export interface Bucket {
  tokens: number;
  atMs: number;
  /** Held by processes other than the asking one, in slices that have not run out. */
  heldByOthers: number;
  /** Held by the asking process, as the database knows it. */
  heldByAsker: number;
}

export interface AskRate {
  perMinute: number;
  /** What the asking process still has and keeps. */
  keep: number;
  /** What it did not use of what it had taken, or, negative, what it used too much. */
  refund: number;
  /** The least that helps, and what all waiting requests need. */
  least: number;
  wanted: number;
}

export interface DealtRate {
  granted: number;
  /** In the bucket from now on. */
  tokens: number;
  atMs: number;
  /** Held by the asking process from now on. */
  held: number;
  /** When the least could be granted, where it was not. */
  waitMs: number;
}

/**
 * Rule LIM2. What is in the bucket and held by all processes is never more than a minute's worth: so within any
 * span no more is admitted than that plus what flowed in.
 */
export function dealRate(bucket: Bucket, ask: AskRate, clockMs: number): DealtRate {
  const { perMinute, refund, least, wanted } = ask;
  const atMs = Math.max(clockMs, bucket.atMs);
  const perMs = perMinute / 60_000;
  const keep = Math.min(ask.keep, bucket.heldByAsker);
  const room = Math.max(0, perMinute - bucket.heldByOthers - keep);
  const tokens = Math.min(room, bucket.tokens + refund + (atMs - bucket.atMs) * perMs);
  if (tokens < least) {
    const fillMs = perMs > 0 ? (least - tokens) / perMs : 60_000;
    // The bucket cannot fill that far while others hold so much: their slices run out.
    const waitMs = Math.max(fillMs, least > room ? limits.sliceMs : 0);
    return { granted: 0, tokens, atMs, held: keep, waitMs };
  }
  const slice = Math.floor(tokens / limits.slicePart);
  const granted = Math.min(Math.floor(tokens), Math.max(wanted, slice));
  return { granted, tokens: tokens - granted, atMs, held: keep + granted, waitMs: 0 };
}

export interface AskSpend {
  limitNano: bigint;
  /** What others have spent or may spend, and what this node has or may. */
  takenByOthers: bigint;
  takenByAsker: bigint;
  least: number;
  wanted: number;
}

/** Rule LIM6. What is dealt out never adds up to more than the limit. */
export function dealSpend(ask: AskSpend): number {
  const { limitNano, takenByOthers, takenByAsker, least, wanted } = ask;
  const room = limitNano - takenByOthers - takenByAsker;
  if (room < BigInt(least)) return 0;
  const slice = Number(bigMin(room / BigInt(limits.slicePart), sliceNanoMax));
  return Number(bigMin(room, BigInt(Math.max(wanted, slice))));
}

/** Sums of slices stay exact as numbers. */
const sliceNanoMax = 2n ** 50n;

export const bigMin = (a: bigint, b: bigint) => (a < b ? a : b);
export const bigMax = (a: bigint, b: bigint) => (a > b ? a : b);

// Rows of reservations: a group of attempts in each, written over when all of them have ended.
import type { HopRow } from "./hop-row.ts";

export interface ReservationRow {
  /** Its number among the rows of this node. */
  readonly slot: number;
  /** Attempts of the group that have not ended. */
  left: number;
  /** Its statement is under way. */
  isSent: boolean;
  /** Where it waits to be written over. */
  readonly free: ReservationRow[];
}

export interface ReservationRows {
  /** A row for so many attempts, to be written by one statement. */
  take(left: number): ReservationRow;
}

export function makeReservationRows(): ReservationRows {
  const free: ReservationRow[] = [];
  let made = 0;
  return {
    take: (left) => {
      const row = free.pop() ?? { slot: made++, left, isSent: true, free };
      return Object.assign(row, { left, isSent: true });
    },
  };
}

/** Its statement has come to its end, well or not. */
export function sentTo(row: ReservationRow): void {
  row.isSent = false;
  keepFree(row);
}

export function endedIn(row: ReservationRow): void {
  row.left -= 1;
  keepFree(row);
}

function keepFree(row: ReservationRow): void {
  if (row.left === 0 && !row.isSent) row.free.push(row);
}

/** Who pays for what: most attempts of a group have it in common, so it is written once. */
export const payerFields = [
  "organizationId",
  "workspaceId",
  "credentialId",
  "userId",
  "model",
  "upstream",
  "kind",
  "serviceTier",
  "speed",
  "month",
  "inferenceGeo",
  "priceList",
  "day",
] as const;
type Payer = Pick<HopRow, (typeof payerFields)[number]>;

export interface Payers {
  payers: readonly Payer[];
  /** For each attempt the index of its payer. */
  indexes: readonly number[];
}

/** So far back a payer is looked for: then it is named once more. */
const lookBack = 8;

export function payersOf(hops: readonly HopRow[]): Payers {
  const payers: HopRow[] = [];
  const indexes = hops.map((hop) => {
    const known = payers.findLastIndex(
      (payer, index) => index >= payers.length - lookBack && isSame(payer, hop),
    );
    return known === -1 ? payers.push(hop) - 1 : known;
  });
  return { payers, indexes };
}

const isSame = (a: Payer, b: Payer) => payerFields.every((field) => a[field] === b[field]);

/** What PostgreSQL's JSON cannot hold: it would keep everything else in the row from being read. */
const unreadable = /\\u(?:0000|d[89a-f])/i;

/** A group as its row holds it. Ids and numbers need no escaping. */
export function packReservation(hops: readonly HopRow[]): string {
  const { payers, indexes } = payersOf(hops);
  const who = JSON.stringify(
    payers.map((payer) => payerFields.map((field) => payer[field] ?? null)),
  );
  if (unreadable.test(who)) throw new TypeError("An attempt is named with what is no text.");
  const rows = hops.map(
    (hop, index) =>
      `["${hop.id}","${hop.requestId}",${indexes[index]},${hop.reserveNano},${hop.at.getTime()}]`,
  );
  return `{"who":${who},"hops":[${rows.join()}]}`;
}

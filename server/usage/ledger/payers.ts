// Who pays, as it is written: one value for all attempts that have it in common, whose text is made once.
import type { Prices } from "../../models/module.ts";
import type { Payer } from "../schema.ts";

/** In the order of their columns and of their places in a group's text. */
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
  "keyMakerId",
  "origin",
  "sessionId",
  "agentId",
  "deploymentId",
  "environmentId",
] as const;
export type PayerField = (typeof payerFields)[number];

export interface PayerRow {
  readonly fields: Readonly<Record<PayerField, string | null>>;
  /** As a JSON array. */
  readonly text: string;
}

export interface PayerRows {
  /** `day` is that of the node: it decides which limits an attempt counts for. */
  rowOf(payer: Payer, day: string): PayerRow;
}

/** So many are known at a time; those that pay most are found first. */
const knownMax = 64;

export function makePayerRows(): PayerRows {
  let known: { payer: Payer; day: string; row: PayerRow }[] = [];
  return {
    rowOf: (payer, day) => {
      const at = known.findIndex((one) => one.day === day && isSame(one.payer, payer));
      const found = known[at];
      if (found === undefined) {
        const made = { payer, day, row: payerRowOf(payer, day) };
        known = [made, ...known.slice(0, knownMax - 1)];
        return made.row;
      }
      // One step towards the front.
      if (at > 0) [known[at - 1], known[at]] = [found, known[at - 1] ?? found];
      return found.row;
    },
  };
}

const isSame = (a: Payer, b: Payer) =>
  a === b ||
  (a.credentialId === b.credentialId &&
    a.model === b.model &&
    a.workspaceId === b.workspaceId &&
    a.organizationId === b.organizationId &&
    a.userId === b.userId &&
    a.upstream === b.upstream &&
    a.kind === b.kind &&
    a.serviceTier === b.serviceTier &&
    a.speed === b.speed &&
    a.inferenceGeo === b.inferenceGeo &&
    a.prices === b.prices &&
    a.keyMakerId === b.keyMakerId &&
    a.origin === b.origin &&
    a.sessionId === b.sessionId &&
    a.agentId === b.agentId &&
    a.deploymentId === b.deploymentId &&
    a.environmentId === b.environmentId);

/** What PostgreSQL's JSON cannot hold: it would keep everything else in the row from being read. */
const unreadable = /\\u(?:0000|d[89a-f])/i;

function payerRowOf({ prices, ...payer }: Payer, day: string): PayerRow {
  const fields = {
    organizationId: payer.organizationId,
    workspaceId: payer.workspaceId,
    credentialId: payer.credentialId,
    userId: payer.userId,
    model: payer.model,
    upstream: payer.upstream,
    kind: payer.kind,
    serviceTier: payer.serviceTier ?? null,
    speed: payer.speed ?? null,
    month: day.slice(0, 7),
    inferenceGeo: payer.inferenceGeo ?? null,
    priceList: prices === undefined ? null : priceList(prices),
    day,
    keyMakerId: payer.keyMakerId ?? null,
    origin: payer.origin ?? null,
    sessionId: payer.sessionId ?? null,
    agentId: payer.agentId ?? null,
    deploymentId: payer.deploymentId ?? null,
    environmentId: payer.environmentId ?? null,
  };
  const text = JSON.stringify(payerFields.map((field) => fields[field]));
  return { fields, text };
}

/** Whether PostgreSQL can read it. */
export const isReadable = ({ text }: PayerRow) => !unreadable.test(text);

/** In the order of their column. */
const priceList = ({ input, output, cacheWrite5m, cacheWrite1h, cacheRead }: Prices) =>
  `{${[input, output, cacheWrite5m, cacheWrite1h, cacheRead].join()}}`;

export interface SharedPayers {
  payers: readonly PayerRow[];
  /** For each attempt the index of its payer. */
  indexes: readonly number[];
}

/** So far back a payer is looked for: then it is named once more. */
const lookBack = 8;

export function payersOf(hops: readonly { payer: PayerRow }[]): SharedPayers {
  const payers: PayerRow[] = [];
  const indexes = hops.map(({ payer }) => {
    const known = payers.lastIndexOf(payer);
    return known === -1 || known < payers.length - lookBack ? payers.push(payer) - 1 : known;
  });
  return { payers, indexes };
}

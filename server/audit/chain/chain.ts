// Rules AUD5 and AUD6: what a link of the chain is, and how a chain is verified from its first event to its last.
import { createHash } from "node:crypto";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

export const firstHash = "0".repeat(64);

/** The same as `audit_hash` in the database, computed without it: a change of that function would be noticed. */
export function hashOf(organizationId: string, row: queries.LinkRow): string {
  const fields = [
    "plinth audit 1",
    organizationId,
    row.seq,
    row.previous_hash,
    row.id,
    row.at_us,
    row.action,
    row.actor_type,
    row.actor_id,
    row.actor_name,
    row.target_type,
    row.target_id,
    row.address,
    row.request_id,
    row.details,
    row.search,
  ];
  const text = fields
    .map((field) => (field === null ? "-" : `${Buffer.byteLength(field)}:${field}`))
    .join("");
  return createHash("sha256").update(text).digest("hex");
}

/** A position in a chain: after the event with this number, which has this hash. */
export interface ChainPosition {
  seq: number;
  hash: string;
}

export interface ChainCheckResult {
  /** Up to here every link holds. */
  intactUpTo: ChainPosition;
  /** How many events were read. */
  events: number;
  /** The first thing that is wrong, as a sentence; null where nothing is. */
  problem: string | null;
}

export interface ChainCheckOptions {
  /** From this position on; from the first event when not given. */
  from?: ChainPosition;
  /** Signed positions that the chain must pass. */
  expected?: readonly (ChainPosition & { from: string })[];
  signal?: AbortSignal;
  progress?(events: number): void;
}

/** Stops at the first error: behind it every hash rests on a false one. */
export async function verifyChain(
  on: Queryable,
  organizationId: string,
  { from, expected = [], signal, progress }: ChainCheckOptions = {},
): Promise<ChainCheckResult> {
  // Read first: events that are appended meanwhile lie behind it.
  const head = await queries.readHead(on, organizationId);
  let intactUpTo: ChainPosition = from ?? { seq: 0, hash: firstHash };
  let position = from === undefined ? first : { seq: String(from.seq), id: last };
  const awaited = new Map(expected.map((one) => [one.seq, one]));
  let events = 0;
  const found = (problem: string | null): ChainCheckResult => ({
    intactUpTo,
    events,
    problem,
  });
  for (;;) {
    signal?.throwIfAborted();
    const rows = await queries.readChain(on, organizationId, position, limits.verifiedAtOnce);
    for (const row of rows) {
      const problem = linkProblem(organizationId, intactUpTo, row);
      if (problem !== undefined) return found(problem);
      intactUpTo = { seq: Number(row.seq), hash: row.hash ?? "" };
      const signed = awaited.get(intactUpTo.seq);
      if (signed !== undefined && signed.hash !== intactUpTo.hash) return found(rewritten(signed));
      if (head !== undefined && head.seq === intactUpTo.seq && head.hash !== intactUpTo.hash)
        return found(`Event ${head.seq}: it is not the one that the head of the chain names.`);
    }
    events += rows.length;
    progress?.(events);
    position = rows.at(-1) ?? position;
    if (rows.length < limits.verifiedAtOnce) break;
  }
  return found(endProblem(intactUpTo, head, expected));
}

const first: queries.LinkPosition = { seq: "-9223372036854775808", id: "" };
/** Sorts behind every id of the same number. */
const last = "\u{10ffff}";

function linkProblem(
  organizationId: string,
  before: ChainPosition,
  row: queries.LinkRow,
): string | undefined {
  const [next, seq] = [before.seq + 1, Number(row.seq)];
  if (seq > next)
    return seq === next + 1
      ? `Event ${next} is missing.`
      : `Events ${next} to ${seq - 1} are missing.`;
  if (seq < next) return `Event ${seq} is there twice: ${row.id} was put in.`;
  const isOwn = row.hash === hashOf(organizationId, row);
  if (row.previous_hash !== before.hash)
    return isOwn
      ? `Event ${seq} (${row.id}) does not follow event ${before.seq}: one of them was replaced, put in or moved.`
      : `Event ${seq} (${row.id}) was changed, put in or moved.`;
  return isOwn ? undefined : `Event ${seq} (${row.id}) was changed.`;
}

const rewritten = ({ seq, from }: ChainPosition & { from: string }) =>
  `Event ${seq} is not the one that was signed (${from}): the chain was written anew up to there, or the database was restored.`;

function endProblem(
  intactUpTo: ChainPosition,
  head: queries.ChainHead | undefined,
  expected: readonly (ChainPosition & { from: string })[],
): string | null {
  const cut = expected.find(({ seq }) => seq > intactUpTo.seq);
  if (cut !== undefined)
    return `Events from ${intactUpTo.seq + 1} on are missing: event ${cut.seq} was signed (${cut.from}). The end was cut off, or the database was restored.`;
  if (head === undefined)
    return intactUpTo.seq === 0
      ? null
      : `The head of the chain is missing: the last event is ${intactUpTo.seq}.`;
  if (head.seq > intactUpTo.seq)
    return `Events ${intactUpTo.seq + 1} to ${head.seq} are missing: the end was cut off.`;
  return null;
}

// The keys of issuers: stored in the database for every process, renewed by a poll, and when a token names a new one.
import type { World } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { fetchKeys, KeySetFailure } from "./key-set.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { IssuerRow, Jwk } from "./queries.ts";

/** Fetches under way, by issuer: a second request for the same keys waits for the same answer. */
export const keyFetchesPart = part("fetches of issuers' keys", {
  make: () => new Map<string, Promise<void>>(),
});

type HasKey = (issuer: IssuerRow) => boolean;

/** Rule FED5: the issuer with its keys fetched again, if the pause since the last fetch is over. */
export async function withRefreshedKeys(
  world: World,
  issuer: IssuerRow,
  hasKey: HasKey,
): Promise<IssuerRow> {
  await renew(world, issuer, hasKey);
  return (await queries.findIssuer(world.db, issuer.organization_id, issuer.id)) ?? issuer;
}

async function renew(world: World, issuer: IssuerRow, hasKey: HasKey): Promise<void> {
  const { id } = issuer;
  const underWay = keyFetchesPart.of(world);
  const running = underWay.get(id) ?? claimAndFetch(world, issuer, hasKey);
  underWay.set(id, running);
  try {
    await running;
  } finally {
    underWay.delete(id);
  }
}

/** The pause is for tokens with an unknown kid: a fetch that found the requested key leaves none. */
async function claimAndFetch(
  world: World,
  { organization_id: organizationId, id }: IssuerRow,
  hasKey: HasKey,
): Promise<void> {
  const { clock, db } = world;
  const at = clock.now();
  const askedBefore = new Date(at.getTime() - limits.refetchPauseMs);
  const claimed = await db.tx((tx) =>
    queries.claimFetch(tx, organizationId, id, { at, askedBefore }),
  );
  if (claimed === undefined) return;
  await fetchAndStore(world, claimed);
  if (areFresh(claimed, at)) return;
  const renewed = await queries.findIssuer(db, organizationId, id);
  if (renewed !== undefined && hasKey(renewed))
    await db.tx((tx) => queries.endPause(tx, organizationId, id, at));
}

/** Rule FED4: the result of a fetch, and when to fetch again. */
export async function fetchAndStore(world: World, issuer: IssuerRow): Promise<void> {
  const { organization_id: organizationId } = issuer;
  let keys: readonly Jwk[];
  try {
    keys = await fetchKeys(world, issuer);
  } catch (error) {
    if (!(error instanceof KeySetFailure)) throw error;
    return noteFailure(world, issuer, error.message);
  }
  const at = world.clock.now();
  const nextPollAt = new Date(at.getTime() + limits.pollEveryMs);
  await world.db.tx((tx) =>
    queries.storeKeys(tx, organizationId, issuer, { keys, at, nextPollAt }),
  );
}

async function noteFailure(world: World, issuer: IssuerRow, why: string): Promise<void> {
  const at = world.clock.now();
  const failures = issuer.consecutive_failures + 1;
  const gone = failures >= limits.failuresMax;
  const pauseMs = Math.min(limits.failurePauseMs * 2 ** (failures - 1), limits.failurePauseMsMax);
  await world.db.tx((tx) =>
    queries.noteFailure(tx, issuer.organization_id, issuer, {
      why: why.slice(0, limits.urlCharactersMax),
      failures,
      nextPollAt: gone ? null : new Date(at.getTime() + pauseMs),
      disabledAt: gone ? at : null,
    }),
  );
}

/** Whether stored keys may be used: inline ones for ever, fetched ones for a day. */
export const areFresh = ({ jwks, keys, fetched_at }: IssuerRow, now: Date): boolean =>
  keys !== null &&
  (jwks.type === "inline" ||
    (fetched_at !== null && now.getTime() - fetched_at.getTime() < limits.keysTrustMs));

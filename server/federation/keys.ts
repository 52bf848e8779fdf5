// The keys of issuers: kept in the database for every process, renewed by a poll, and when a token names a new one.
import type { World } from "../../kernel/context.ts";
import { fetchKeys, KeySetFailure } from "./key-set.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries-issuers.ts";
import type { IssuerRow, Jwk } from "./queries-issuers.ts";

/** Fetches under way in this process: whoever needs the same keys waits for the same answer. */
const underWay = new WeakMap<World["db"], Map<string, Promise<void>>>();

/** Rule FED5: the issuer as it is once its keys were asked for again, if it was time for that. */
export async function withNewKeys(world: World, issuer: IssuerRow): Promise<IssuerRow> {
  await renew(world, issuer);
  return (await queries.findIssuer(world.db, issuer.organization_id, issuer.id)) ?? issuer;
}

async function renew(world: World, { organization_id, id }: IssuerRow): Promise<void> {
  let map = underWay.get(world.db);
  if (map === undefined) underWay.set(world.db, (map = new Map()));
  const running = map.get(id) ?? claimAndFetch(world, organization_id, id);
  map.set(id, running);
  try {
    await running;
  } finally {
    map.delete(id);
  }
}

async function claimAndFetch(world: World, organizationId: string, id: string): Promise<void> {
  const at = world.clock.now();
  const askedBefore = new Date(at.getTime() - limits.refetchPauseMs);
  const issuer = await world.db.tx((tx) =>
    queries.claimFetch(tx, organizationId, id, { at, askedBefore }),
  );
  if (issuer !== undefined) await fetchAndStore(world, issuer);
}

/** Rule FED4: what came of it, and when to look again. */
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

/** Whether what is kept may be used: inline keys for ever, fetched ones for a day. */
export const areFresh = ({ jwks, keys, fetched_at }: IssuerRow, now: Date): boolean =>
  keys !== null &&
  (jwks.type === "inline" ||
    (fetched_at !== null && now.getTime() - fetched_at.getTime() < limits.keysTrustMs));

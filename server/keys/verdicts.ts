// The credentials that this process has verified and remembers, and how it forgets them in time.
import type { World } from "../../kernel/context.ts";
import { hashSecretAsText, secretKind } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";

const channel = "revocations";

/** Rule KEY4. One per process; keys and sign-ins have a cache each, and are cleared together. */
export interface Verdicts {
  keys: VerdictCache<queries.VerifiedKeyRow>;
  /** A cache for secrets of one kind: a key is no sign-in, even inside a cookie. */
  makeCache<V extends object>(find: Find<V>): VerdictCache<V>;
  /** Makes every process clear its caches: call it in the transaction that ends a credential. */
  revoke(tx: Tx): Promise<void>;
  /** Notes a use; written to the database in batches. */
  noteUse(keyId: string): void;
  /** Polls and flushes until stopped. */
  start(): () => Promise<void>;
}

/** The remembered verdict of a secret, or the one that `find` loads; undefined for an unknown secret. */
export type VerdictCache<V> = (secret: string) => Promise<V | undefined> | V;
type Find<V> = (sha256: Buffer, secret: string) => Promise<V | undefined>;

export function makeVerdicts(world: World): Verdicts {
  const { db, clock, hints } = world;
  const caches: Map<string, object>[] = [];
  const uses = new Map<string, Date>();
  let counter = -1;
  let trustedUntilMs = 0;
  // A verdict that was loading while the caches were cleared must not be remembered.
  let wipes = 0;

  const wipe = () => {
    wipes += 1;
    for (const remembered of caches) remembered.clear();
  };

  async function poll(): Promise<void> {
    const askedMs = clock.monotonicMs();
    const now = await queries.readRevocations(db);
    if (now !== counter) wipe();
    counter = now;
    trustedUntilMs = askedMs + limits.verdictTrustMs;
  }

  async function flush(): Promise<void> {
    if (uses.size === 0) return;
    const batch = new Map(uses);
    uses.clear();
    try {
      await db.tx((tx) => queries.touchKeys(tx, batch));
    } catch (error) {
      for (const [id, at] of batch) if (!uses.has(id)) uses.set(id, at);
      throw error;
    }
  }

  function makeCache<V extends object>(find: Find<V>): VerdictCache<V> {
    const remembered = new Map<string, V>();
    caches.push(remembered);
    const load = async (hashed: string, secret: string): Promise<V | undefined> => {
      const wipesBefore = wipes;
      const verdict = await find(Buffer.from(hashed, "latin1"), secret);
      if (verdict !== undefined && wipes === wipesBefore) {
        if (remembered.size >= limits.verdictsMax) remembered.clear();
        remembered.set(hashed, verdict);
      }
      return verdict;
    };
    return (secret) => {
      const hashed = hashSecretAsText(secret);
      const trusted = clock.monotonicMs() < trustedUntilMs;
      const verdict = trusted ? remembered.get(hashed) : undefined;
      return verdict ?? load(hashed, secret);
    };
  }

  return {
    makeCache: makeCache,
    keys: makeCache(async (sha256, secret) =>
      // The checksum keeps typing errors, and noise, from the database.
      secretKind(secret) === undefined ? undefined : queries.findBySecret(db, sha256),
    ),
    revoke: async (tx) => {
      await queries.raiseRevocations(tx);
      tx.afterCommit(() => {
        wipe();
        hints.send(channel, "all");
      });
    },
    noteUse: (keyId) => void uses.set(keyId, clock.now()),
    start: () => keepUp(world, poll, flush),
  };
}

/** Both survive a lost database: they run again soon. */
function keepUp(
  world: World,
  poll: () => Promise<void>,
  flush: () => Promise<void>,
): () => Promise<void> {
  const { hints, logger } = world;
  const [polling, noting] = ["polling revocations", "noting the use of keys"];
  const once = (act: () => Promise<void>, name: string) =>
    act().catch((error: unknown) => logger.warn({ error }, `${name} failed`));
  const stops = [
    every(world, limits.revocationPollMs, { name: polling, act: poll }),
    every(world, limits.lastUsedFlushMs, { name: noting, act: flush }),
  ];
  const stopListening = hints.listen(channel, () => void once(poll, polling));
  return async () => {
    stopListening();
    await Promise.all(stops.map((stop) => stop()));
    await once(flush, noting);
  };
}

/** Keys, sign-ins and tokens that this process has verified. */
export const verdictsPart = part("verdicts", {
  make: (world: World) => makeVerdicts(world),
  start: (_world, verdicts) => verdicts.start(),
});

export const verdictsOf = verdictsPart.of;

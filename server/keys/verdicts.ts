// What this process remembers of the credentials it has verified, and how it forgets in time.
import type { Context, World } from "../../kernel/context.ts";
import { hashSecret, secretKind } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";
import { limits } from "./schema.ts";

const channel = "revocations";

/** Rule KEY4. One per process; keys and sign-ins have a memory each, and are forgotten together. */
export interface Verdicts {
  keys: VerdictCache<queries.VerifiedKeyRow>;
  /** What is remembered of secrets of one kind: a key is no sign-in, even where it stands in a cookie. */
  makeCache<V extends object>(find: Find<V>): VerdictCache<V>;
  /** Stops every process from trusting what it remembers: in the transaction that kills a credential. */
  revoke(tx: Tx): Promise<void>;
  /** Notes a use; written to the database in batches. */
  noteUse(keyId: string): void;
  /** Polls and flushes until stopped. */
  start(): () => Promise<void>;
}

/** The remembered verdict of a secret, or the one that its `find` loads; undefined for a stranger. */
export type VerdictCache<V> = (secret: string) => Promise<V | undefined> | V;
type Find<V> = (sha256: Buffer, secret: string) => Promise<V | undefined>;

export function makeVerdicts(world: World): Verdicts {
  const { db, clock, hints } = world;
  const memories: Map<string, object>[] = [];
  const uses = new Map<string, Date>();
  let counter = -1;
  let trustedUntilMs = 0;
  // A verdict that was being loaded while the memory was wiped must not outlive the wipe.
  let wipes = 0;

  const wipe = () => {
    wipes += 1;
    for (const remembered of memories) remembered.clear();
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

  function memory<V extends object>(find: Find<V>): VerdictCache<V> {
    const remembered = new Map<string, V>();
    memories.push(remembered);
    const load = async (sha256: Buffer, secret: string): Promise<V | undefined> => {
      const wipesBefore = wipes;
      const verdict = await find(sha256, secret);
      if (verdict !== undefined && wipes === wipesBefore) {
        if (remembered.size >= limits.verdictsMax) remembered.clear();
        remembered.set(sha256.toString("latin1"), verdict);
      }
      return verdict;
    };
    return (secret) => {
      const sha256 = hashSecret(secret);
      const trusted = clock.monotonicMs() < trustedUntilMs;
      const verdict = trusted ? remembered.get(sha256.toString("latin1")) : undefined;
      return verdict ?? load(sha256, secret);
    };
  }

  return {
    makeCache: memory,
    keys: memory(async (sha256, secret) =>
      // The checksum keeps slips of the hand, and noise, from the database.
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

/** Both go on through a lost database: they are asked again soon. */
function keepUp(
  { clock, hints, logger }: World,
  poll: () => Promise<void>,
  flush: () => Promise<void>,
): () => Promise<void> {
  const stopping = new AbortController();
  const tolerant = (work: () => Promise<void>, what: string) =>
    work().catch((error: Error) => logger.warn({ error: error.message }, `${what} failed`));
  const repeat = async (everyMs: number, work: () => Promise<void>, what: string) => {
    do await tolerant(work, what);
    while (await clock.sleep(everyMs, stopping.signal));
  };
  const polling = repeat(limits.revocationPollMs, poll, "polling revocations");
  const flushing = repeat(limits.lastUsedFlushMs, flush, "noting the use of keys");
  const deaf = hints.listen(channel, () => void tolerant(poll, "polling revocations"));
  return async () => {
    deaf();
    stopping.abort();
    await Promise.all([polling, flushing]);
    await tolerant(flush, "noting the use of keys");
  };
}

const byWorld = new WeakMap<World["db"], Verdicts>();

/** The process' own: made with the first request that needs it. */
export function verdictsOf(world: World | Context): Verdicts {
  let verdicts = byWorld.get(world.db);
  if (verdicts === undefined) {
    verdicts = makeVerdicts(world);
    byWorld.set(world.db, verdicts);
  }
  return verdicts;
}

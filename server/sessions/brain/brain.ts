// The brain of a process: takes sessions that have something to do, and works on each until there is nothing.
import { gather } from "../../../kernel/base/gather.ts";
import type { World } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { hold, type ClaimRound, type Held, type Holder } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { busPart } from "../../../kernel/bus/part.ts";
import { personModelsPart } from "../../groups/module.ts";
import { limitsPart } from "../../limits/module.ts";
import { memoryBudgetsPart } from "../../messages/module.ts";
import { catalogPart } from "../../models/module.ts";
import { ledgerPart, nodePart } from "../../usage/module.ts";
import { sessionsChannel } from "../events/channel.ts";
import { limits } from "../limits.ts";
import { loadSessions } from "../model/queries.ts";
import { claimSessions, listDue, sessionLeases, type ClaimedSession } from "./queries.ts";
import { networkPart } from "../network/network.ts";
import { sandboxesPart } from "../sandbox/sandboxes.ts";
import { serversPart } from "../servers/servers.ts";
import { makeStateCache } from "./state-cache.ts";
import { SessionWork, type BrainTools } from "./work.ts";
import { sessionWriter } from "./write.ts";

type Round = ClaimRound<ClaimedSession & Lease>;

interface Brain {
  world: World;
  owner: string;
  holder: Holder<ClaimedSession & Lease>;
  /** By the id of the session. */
  works: Map<string, SessionWork>;
  /** When each had last something to do, as it was last seen: an event whose hint was lost shows by it. */
  dueMs: Map<string, number>;
  running: Set<Promise<void>>;
  tools: BrainTools;
}

async function load({ db, clock }: World, ids: readonly string[]) {
  const sessions = await loadSessions(db, ids);
  return sessions.map((session) => session && { ...session, readMs: clock.monotonicMs() });
}

/** The result stops it: what is under way may end for a moment, the rest is given back. */
export function startBrain(world: World): () => Promise<void> {
  const { leaseMs, heartbeatMs, pollMs } = limits;
  const holder = hold<ClaimedSession & Lease>(world, {
    name: "session",
    leasable: sessionLeases,
    times: { leaseMs, heartbeatMs, pollMs },
    claim: (round) => claimRound(brain, round),
    on: (held) => begin(brain, held),
    isIdle: () => brain.running.size === 0,
  });
  const brain: Brain = {
    world,
    owner: world.ids.next("brain_"),
    holder,
    works: new Map(),
    dueMs: new Map(),
    running: new Set(),
    tools: {
      states: makeStateCache(),
      load: gather((ids) => load(world, ids), {
        keysMax: limits.heldMax,
        atOnce: limits.loadsAtOnce,
      }),
      write: sessionWriter(world, holder),
    },
  };
  const { works } = brain;
  const forget = world.hints.listen(sessionsChannel, (key) => {
    for (const [id, work] of works) if (key === "*" || key === id) work.heard();
    holder.wake();
  });
  holder.start();
  return async () => {
    const drained = holder.drain();
    const isOver = new AbortController();
    await Promise.race([drained, world.clock.sleep(limits.drainMs, isOver.signal)]);
    isOver.abort();
    await holder.stop();
    await Promise.all(brain.running);
    forget();
  };
}

export const brainPart = part("brain of sessions", {
  needs: [
    busPart,
    personModelsPart,
    catalogPart,
    nodePart,
    ledgerPart,
    limitsPart,
    networkPart,
    memoryBudgetsPart,
    sandboxesPart,
    serversPart,
  ],
  start: startBrain,
});

async function claimRound(brain: Brain, { take, isPoll }: Round): Promise<void> {
  const { world, works, owner, holder } = brain;
  const sandboxes = sandboxesPart.of(world);
  if (isPoll && works.size > 0) await listen(brain);
  if (world.server.isDraining || holder.isDraining()) return;
  for (;;) {
    const most = limits.heldMax - works.size;
    if (most <= 0) return;
    const taken = await take(() =>
      claimSessions(world.db, owner, { leaseMs: limits.leaseMs, most, sandboxes }),
    );
    if (taken.length < most) return;
  }
}

/** For hints that were lost. */
async function listen({ world, works, dueMs }: Brain): Promise<void> {
  const rows = await listDue(world.db, [...works.keys()]);
  for (const { id, dueAt } of rows) {
    const before = dueMs.get(id);
    dueMs.set(id, dueAt.getTime());
    if (before !== dueAt.getTime()) works.get(id)?.heard();
  }
}

function begin(brain: Brain, held: Held<ClaimedSession & Lease>): void {
  const { world, works, dueMs, running, holder } = brain;
  const { lease, row } = held;
  const { id } = lease;
  const work = new SessionWork(world, held, brain.tools);
  works.set(id, work);
  dueMs.set(id, row.dueAt.getTime());
  const run = work.run().finally(() => {
    if (works.get(id) === work) works.delete(id);
    dueMs.delete(id);
    running.delete(run);
    // What came while it was being given back.
    holder.wake();
  });
  running.add(run);
}

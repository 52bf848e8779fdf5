// Rules AUD12 and AUD13: what is written of requests that change nothing. Counted in memory, written once a minute.
import type { Principal, World } from "../../kernel/context.ts";
import type { AnsweredRequest } from "../../kernel/http/dispatch.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries-uses.ts";
import { record, actorIdentityOf, type Actor } from "./service.ts";
import { notedEveryMs } from "./settings.ts";

export interface AccessRecorder {
  /** Looks at a request that was answered; costs what a look into a map costs. */
  note(facts: AnsweredRequest): void;
  /** Writes what was counted. */
  flush(): Promise<void>;
  /** Flushes every minute until stopped, and then once more. */
  start(): () => Promise<void>;
}

interface Used {
  actor: Actor;
  credential: { kind: string; id: string };
  organizationId: string;
  hour: Date;
  uses: number;
}

interface Denied {
  actor: Actor;
  operation: string;
  status: number | null;
  error: string;
  count: number;
  from: Date;
  until: Date;
}

/** By organization, then by who and what. */
type Attempts = Map<string, Map<string, Denied>>;

const hourMs = 3_600_000;

function makeWatch(world: World): AccessRecorder {
  let uses = new Map<string, Used>();
  let attempts: Attempts = new Map();
  let told = 0;

  function noteUse(who: Principal, { address, requestId }: AnsweredRequest): void {
    const now = world.clock.now().getTime();
    const hour = now - (now % hourMs);
    const known = uses.get(who.credentialId);
    if (known?.hour.getTime() === hour) {
      known.uses += 1;
      return;
    }
    const actor = { ...actorIdentityOf(who), address, requestId };
    const credential = { kind: who.kind, id: who.credentialId };
    const { organizationId } = who;
    // What is left of the hour before goes out under a name of its own.
    if (known !== undefined) uses.set(`${who.credentialId} ${known.hour.getTime()}`, known);
    uses.set(who.credentialId, {
      actor,
      credential,
      organizationId,
      hour: new Date(hour),
      uses: 1,
    });
  }

  function noteDenied(organizationId: string, actor: Actor, facts: AnsweredRequest): void {
    const { operation, status, failure } = facts;
    const key = `${actor.id} ${operation} ${status}`;
    const own = attempts.get(organizationId) ?? new Map<string, Denied>();
    attempts.set(organizationId, own);
    const isTold = own.has(key);
    const isMany = own.size >= limits.deniedPerOrganizationMax || told >= limits.deniedMax;
    const at = world.clock.now();
    if (!isTold && isMany) {
      const error = "more than could be told apart";
      count(own, "", { actor: nobody, operation: "others", status: null, error }, at);
    } else {
      if (!isTold) told += 1;
      const error = failure?.options.code ?? failure?.type ?? "";
      count(own, key, { actor, operation, status, error }, at);
    }
  }

  async function flush(): Promise<void> {
    const [used, denied] = [uses, attempts];
    [uses, attempts, told] = [new Map(), new Map(), 0];
    for (const [organizationId, own] of Map.groupBy(used.values(), (use) => use.organizationId))
      await writeUses(world, organizationId, own);
    for (const [organizationId, own] of denied)
      await writeDenied(world, organizationId, [...own.values()]);
  }

  return {
    note: (facts) => {
      const { who, failure, address, requestId } = facts;
      const whose = failure?.options.whose;
      if (whose !== undefined) {
        const { organizationId, kind, credentialId: id, name } = whose;
        const actor = { type: kind as Actor["type"], id, name, address, requestId };
        noteDenied(organizationId, actor, facts);
      }
      if (who === undefined) return;
      if (who.kind !== "console") noteUse(who, facts);
      if (isDenied(facts))
        noteDenied(who.organizationId, { ...actorIdentityOf(who), address, requestId }, facts);
    },
    flush,
    start: () => keepFlushing(world, flush),
  };
}

const isDenied = ({ status, failure }: AnsweredRequest) =>
  status === 403 || failure?.options.code === "organization_type_not_supported";

const nobody: Actor = { type: "system", id: null, name: null, address: "", requestId: null };

function count(
  own: Map<string, Denied>,
  key: string,
  what: Pick<Denied, "actor" | "operation" | "status" | "error">,
  at: Date,
): void {
  const known = own.get(key);
  if (known === undefined) own.set(key, { ...what, count: 1, from: at, until: at });
  else Object.assign(known, { count: known.count + 1, until: at });
}

/** One event for each credential and hour, whichever process sees it first; it tells of the hour before, too. */
async function writeUses(world: World, organizationId: string, own: Used[]): Promise<void> {
  const byActor = Map.groupBy(own, ({ actor, hour }) => `${actor.id} ${hour.getTime()}`);
  await world.db.tx(async (tx) => {
    const counted = [...byActor.values()].map((used) => ({
      actorId: used[0]?.actor.id ?? "",
      hour: used[0]?.hour ?? new Date(0),
      uses: used.reduce((sum, { uses }) => sum + uses, 0),
    }));
    for (const first of await queries.addUses(tx, organizationId, counted)) {
      const used = byActor.get(`${first.actorId} ${first.hour.getTime()}`)?.[0];
      if (used === undefined) continue;
      const { actor, credential, hour } = used;
      await record(tx, world, actor, {
        organizationId,
        action: "credential.used",
        target: { type: credential.kind, id: credential.id },
        details: {
          kind: credential.kind,
          hour: hour.toISOString(),
          last_hour: first.lastHour?.toISOString() ?? null,
          uses_in_last_hour: first.lastUses,
        },
      });
    }
  });
}

async function writeDenied(world: World, organizationId: string, own: Denied[]): Promise<void> {
  await world.db.tx(async (tx) => {
    for (const { actor, operation, status, error, count: times, from, until } of own)
      await record(tx, world, actor, {
        organizationId,
        action: "request.denied",
        target: { type: "operation", id: operation },
        details: {
          status,
          error,
          count: times,
          from: from.toISOString(),
          until: until.toISOString(),
        },
      });
  });
}

function keepFlushing(world: World, flush: () => Promise<void>): () => Promise<void> {
  const { clock, logger } = world;
  const stopping = new AbortController();
  const tolerant = () =>
    flush().catch((error: Error) =>
      logger.warn({ error: error.message }, "writing down uses and denied attempts failed"),
    );
  const repeat = async () => {
    while (await clock.sleep(notedEveryMs(world), stopping.signal)) await tolerant();
  };
  const repeating = repeat();
  return async () => {
    stopping.abort();
    await repeating;
    await tolerant();
  };
}

const byDatabase = new WeakMap<World["db"], AccessRecorder>();

/** The process' own. */
export function accessRecorderOf(world: World): AccessRecorder {
  let watch = byDatabase.get(world.db);
  if (watch === undefined) byDatabase.set(world.db, (watch = makeWatch(world)));
  return watch;
}

// Rules AUD12 and AUD13: the record of requests that change nothing. Counted in memory, written once a minute.
import type { Context, Principal, World } from "../../kernel/context.ts";
import type { AnsweredRequest } from "../../kernel/http/exchange/exchange.ts";
import { every } from "../../kernel/work/every.ts";
import { part } from "../../kernel/work/parts.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries-uses.ts";
import { record, actorIdentityOf, type AuditActor } from "./service.ts";
import { notedEveryMs } from "./settings.ts";

export interface AccessRecorder {
  /** Counts a request that was answered; costs one look into a map. */
  note(facts: AnsweredRequest): void;
  /** Counts what a caller may not do, of a request by another protocol that is answered all the same. */
  noteDenied(caller: DeniedCaller, facts: DeniedFacts): void;
  /** Writes what was counted: every minute, and once more at the stop. */
  flush(): Promise<void>;
}

type DeniedCaller = Pick<Context, "who" | "address" | "requestId">;
type DeniedFacts = Pick<AnsweredRequest, "operation" | "status" | "failure">;

interface Used {
  actor: AuditActor;
  credential: { kind: string; id: string };
  organizationId: string;
  hour: Date;
  uses: number;
}

interface Denied {
  actor: AuditActor;
  operation: string;
  status: number | null;
  error: string;
  count: number;
  from: Date;
  until: Date;
}

/** By organization, then by actor, operation and status. */
type Attempts = Map<string, Map<string, Denied>>;

const hourMs = 3_600_000;

function makeAccessRecorder(world: World): AccessRecorder {
  let uses = new Map<string, Used>();
  let attempts: Attempts = new Map();
  let attemptsCounted = 0;

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
    // Uses of the hour before that are not written yet are kept under another key.
    if (known !== undefined) uses.set(`${who.credentialId} ${known.hour.getTime()}`, known);
    const first = { actor, credential, organizationId, hour: new Date(hour), uses: 1 };
    uses.set(who.credentialId, first);
  }

  function noteDenied(organizationId: string, actor: AuditActor, facts: DeniedFacts): void {
    const { operation, status, failure } = facts;
    const key = `${actor.id} ${operation} ${status}`;
    const counted = attempts.get(organizationId) ?? new Map<string, Denied>();
    attempts.set(organizationId, counted);
    const isKnown = counted.has(key);
    const isFull =
      counted.size >= limits.deniedPerOrganizationMax || attemptsCounted >= limits.deniedMax;
    const at = world.clock.now();
    if (!isKnown && isFull) {
      const error = "more than could be told apart";
      count(counted, "", { actor: manyActors, operation: "others", status: null, error }, at);
    } else {
      if (!isKnown) attemptsCounted += 1;
      const error = failure?.options.code ?? failure?.type ?? "";
      count(counted, key, { actor, operation, status, error }, at);
    }
  }

  const noteCaller = ({ who, address, requestId }: DeniedCaller, facts: DeniedFacts) =>
    noteDenied(who.organizationId, { ...actorIdentityOf(who), address, requestId }, facts);

  async function flush(): Promise<void> {
    const [used, denied] = [uses, attempts];
    [uses, attempts, attemptsCounted] = [new Map(), new Map(), 0];
    for (const [organizationId, organizationUses] of Map.groupBy(
      used.values(),
      (use) => use.organizationId,
    ))
      await writeUses(world, organizationId, organizationUses);
    for (const [organizationId, counted] of denied)
      await writeDenied(world, organizationId, [...counted.values()]);
  }

  return {
    note: (facts) => {
      const { who, failure, address, requestId } = facts;
      const whose = failure?.options.whose;
      if (whose !== undefined) {
        const { organizationId, kind, credentialId: id, name } = whose;
        const actor = { type: kind as AuditActor["type"], id, name, address, requestId };
        noteDenied(organizationId, actor, facts);
      }
      if (who === undefined) return;
      if (who.kind !== "console") noteUse(who, facts);
      if (isDenied(facts)) noteCaller({ who, address, requestId }, facts);
    },
    noteDenied: noteCaller,
    flush,
  };
}

const isDenied = ({ status, failure }: AnsweredRequest) =>
  status === 403 || failure?.options.code === "organization_type_not_supported";

const manyActors: AuditActor = {
  type: "system",
  id: null,
  name: null,
  address: "",
  requestId: null,
};

function count(
  counted: Map<string, Denied>,
  key: string,
  what: Pick<Denied, "actor" | "operation" | "status" | "error">,
  at: Date,
): void {
  const known = counted.get(key);
  if (known === undefined) counted.set(key, { ...what, count: 1, from: at, until: at });
  else Object.assign(known, { count: known.count + 1, until: at });
}

/** One event for each credential and hour, whichever process sees it first; it also counts the hour before. */
async function writeUses(world: World, organizationId: string, credentials: Used[]): Promise<void> {
  const byActor = Map.groupBy(credentials, ({ actor, hour }) => `${actor.id} ${hour.getTime()}`);
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

async function writeDenied(
  world: World,
  organizationId: string,
  attempts: Denied[],
): Promise<void> {
  await world.db.tx(async (tx) => {
    for (const { actor, operation, status, error, count: times, from, until } of attempts)
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

/** What is counted until the next flush is written at the stop. */
function keepFlushing(world: World, { flush }: AccessRecorder): () => Promise<void> {
  const name = "writing down uses and denied attempts";
  const stop = every(world, notedEveryMs(world), { name, act: flush });
  return async () => {
    await stop();
    await flush().catch((error: unknown) => world.logger.warn({ error }, `${name} failed`));
  };
}

export const accessRecorderPart = part("record of access", {
  make: (world: World) => makeAccessRecorder(world),
  start: keepFlushing,
});

export const accessRecorderOf = accessRecorderPart.of;

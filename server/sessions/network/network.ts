// The network of a session's sandbox: its door, led by what the session's environment says now.
import { makeKeyedQueues } from "../../../kernel/base/keyed-queues.ts";
import type { World } from "../../../kernel/context.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import {
  closedPolicy,
  doorLimits,
  makeDoor,
  mirrorsOf,
  policyOf,
  portOf,
  shown,
  type DoorOptions,
  type NetworkPolicy,
  type SandboxNetwork,
} from "../../sandboxes/module.ts";
import { refusalLimits } from "./limits.ts";
import { findSessionNetwork } from "./queries.ts";
import { makeRefusalRecorder } from "./recorder.ts";

/** What the doors of a process share. */
export const networkPart = part("network of sandboxes", {
  make: (world: World) => ({
    refusals: makeRefusalRecorder(world),
    lookUps: makeKeyedQueues(doorLimits.lookUpsMax),
  }),
  start: (world, { refusals }) => {
    const stop = every(world, refusalLimits.writeMs, {
      name: "counting refused connections of sandboxes",
      act: refusals.write,
    });
    return async () => {
      await stop();
      await refusals.write();
    };
  },
});

/** For `network` of a sandbox's specification. Who asks for it needs `networkPart`. */
export function openNetwork(
  world: World,
  sessionId: string,
  more: Pick<DoorOptions, "secrets" | "lookup" | "ownAddresses"> = {},
): SandboxNetwork {
  const { refusals, lookUps } = networkPart.of(world);
  // One after the other, so that a sandbox whose names are slow to find keeps no other one waiting for long.
  const own = makeKeyedQueues(1);
  return makeDoor({
    ...more,
    world,
    policy: sourceOf(world, {
      sessionId,
      ageMs: doorLimits.policyAgeMs,
      what: "what a sandbox may reach",
      read: () => readPolicy(world, sessionId),
    }),
    onRefused: (refusal) => refusals.note(sessionId, refusal),
    inTurn: (work) => own.run(sessionId, () => lookUps.run("all", work)),
  });
}

/**
 * To one address alone, for what the server does itself beside the sandbox of a session: what the environment allows is
 * said of the agent, and this was asked for by who made the session. `onRefused` hears why, in a sentence.
 */
export function openNetworkTo(
  world: World,
  address: string,
  onRefused: (why: string) => void,
): SandboxNetwork {
  const { lookUps } = networkPart.of(world);
  const url = new URL(address);
  const hosts = [{ host: url.hostname, ports: [portOf(url)] }];
  const policy: NetworkPolicy = { type: "limited", hosts };
  return makeDoor({
    world,
    policy: () => Promise.resolve(policy),
    onRefused: (refusal) =>
      onRefused(
        refusal.reason === "address"
          ? `${refusal.host} ${refusal.detail}`
          : `git wanted to go on to ${shown(refusal.host)}:${refusal.port}, which is not the repository's address.`,
      ),
    inTurn: (work) => lookUps.run("all", work),
  });
}

/** What the environment of the session says now; where there is none, nothing is reached. */
export async function readPolicy(
  world: { db: Queryable } & Pick<World, "sections">,
  sessionId: string,
): Promise<NetworkPolicy> {
  const found = await findSessionNetwork(world.db, sessionId);
  if (found === undefined || found.config === null) return closedPolicy;
  return policyOf(found.config, found.servers, mirrorsOf(world));
}

/** How a door is led: read anew where it is older than `ageMs`, in one question for all that ask meanwhile. */
export function sourceOf<T>(
  { clock, logger }: Pick<World, "clock" | "logger">,
  {
    sessionId,
    ageMs,
    what,
    read,
  }: { sessionId: string; ageMs: number; what: string; read: () => Promise<T> },
): () => Promise<T | undefined> {
  let known: { value: Promise<T | undefined>; readMs: number } | undefined;
  const readOrLog = async () => {
    try {
      return await read();
    } catch (error) {
      logger.warn({ error, session: sessionId }, `${what} could not be read`);
      return undefined;
    }
  };
  return () => {
    const nowMs = clock.monotonicMs();
    if (known === undefined || nowMs - known.readMs >= ageMs)
      known = { value: readOrLog(), readMs: nowMs };
    return known.value;
  };
}

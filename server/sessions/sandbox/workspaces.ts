// Where sessions have their files: those of this machine, and the machine that has those of another session.
import type { World } from "../../../kernel/context.ts";
import type { Held, Holder } from "../../../kernel/work/hold.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import {
  hostIdOf,
  openSandboxes,
  SandboxError,
  type Sandbox,
  type SandboxProvider,
} from "../../sandboxes/module.ts";
import { sandboxesChannel } from "../events/channel.ts";
import { limits } from "../limits.ts";
import { isDatabaseLost } from "../model/failures.ts";
import { knownLayers } from "../packages/queries.ts";
import * as queries from "./queries.ts";

/** Workspaces of sessions that are gone go with it, and layers that no row tells of. */
export async function openProvider(world: World): Promise<SandboxProvider> {
  const provider = await openSandboxes(world);
  try {
    const ids = await provider.list();
    const existing = await queries.existingSessions(world.db, ids);
    for (const id of ids) if (!existing.has(id)) await provider.destroy(id);
    const names = await provider.layers.list();
    const known = names.length === 0 ? new Set() : await knownLayers(world.db, hostIdOf(world));
    for (const name of names) if (!known.has(name)) await provider.layers.remove(name);
    return provider;
  } catch (error) {
    await provider.close();
    throw error;
  }
}

/** The machine that has the files of a session is another one. */
export class WorkspaceElsewhere extends Error {
  constructor({ hostId, seenAt }: { hostId: string; seenAt: Date | null }) {
    const seen = seenAt === null ? "" : `, last seen at ${seenAt.toISOString()}`;
    super(
      `The workspace of this session lies on another machine of this server (${hostId}${seen}), which does not answer. Start its server again, or begin a new session.`,
    );
  }
}

export type HeldSandbox = Held<queries.ClaimedSandbox & Lease>;

interface Taking {
  owner: string;
  hostId: string;
  holder: Holder<queries.ClaimedSandbox & Lease>;
  signal: AbortSignal;
}

/** Waits for the process that has its sandbox. */
export async function takeWorkspace(
  world: World,
  sessionId: string,
  { owner, hostId, holder, signal }: Taking,
): Promise<{ held: HeldSandbox; config: EnvironmentConfig | null }> {
  const { db, clock, hints } = world;
  const options = { owner, hostId, leaseMs: limits.leaseMs };
  for (;;) {
    const { held, config } = await untilDatabaseIsThere(world, signal, async () => {
      const place = await queries.placeWorkspace(db, sessionId, hostId);
      if (place === undefined) throw new SandboxError("The session is gone.");
      if (place.hostId !== hostId) throw new WorkspaceElsewhere(place);
      const [held] = await holder.take(() => queries.takeSandbox(db, sessionId, options));
      return { held, config: place.config };
    });
    if (held !== undefined) return { held, config };
    hints.send(sandboxesChannel, sessionId, { toOthers: true });
    await clock.sleep(limits.sandboxAskMs, signal);
  }
}

/** Nothing of a call has begun yet: a database that is away is waited for. */
export async function untilDatabaseIsThere<T>(
  { clock }: Pick<World, "clock">,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!isDatabaseLost(error)) throw error;
      await clock.sleep(limits.awayMs, signal);
    }
  }
}

/** The sandbox of a session, for its tools. */
export function sandboxOf(
  provider: SandboxProvider,
  running: { session: { id: string }; isShellNew: boolean },
): Sandbox {
  const { id } = running.session;
  return {
    async exec(request) {
      const result = await provider.exec(id, request);
      // Programs beside the shell know nothing of it.
      if (typeof request.command !== "string" || !running.isShellNew) return result;
      running.isShellNew = false;
      return { ...result, isRestarted: true };
    },
    async stop() {
      running.isShellNew = false;
      await provider.stop(id);
    },
  };
}

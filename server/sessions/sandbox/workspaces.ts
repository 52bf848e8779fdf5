// Where sessions have their files: those of this machine, and the machine that has those of another session.
import type { World } from "../../../kernel/context.ts";
import { openSandboxes, type SandboxProvider } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { isDatabaseLost } from "../model/failures.ts";
import { sessionOf } from "./repositories/separate.ts";
import * as queries from "./queries.ts";

/** Workspaces of sessions that are gone go with it. */
export async function openProvider(world: World): Promise<SandboxProvider> {
  const provider = await openSandboxes(world);
  try {
    const ids = await provider.list();
    const existing = await queries.existingSessions(world.db, ids.map(sessionOf));
    for (const id of ids) if (!existing.has(sessionOf(id))) await provider.destroy(id);
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

// A sandbox beside that of a session, in which the server works with what no agent may see. It is made for one piece of
// work and deleted with all that it holds.
import type { SandboxLimits, SandboxNetwork, SandboxProvider } from "../../../sandboxes/module.ts";

import type { MountedSandbox } from "../mounts/inside.ts";

export type SeparateSandbox = Pick<SandboxProvider, "exec"> & { sessionId: string };

export interface WorkApart {
  run<T>(network: SandboxNetwork, work: (apart: SeparateSandbox) => Promise<T>): Promise<T>;
  /** It runs beside the session's own, and counts as one more. */
  room: SpareRoom;
}

/** Room for one more sandbox, beside the one that a session has. */
export interface SpareRoom {
  /** False where there is none now. Who holds a sandbox waits for no other one: others might wait for it. */
  take(): boolean;
  leave(): void;
}

const suffix = "-apart";
const idOf = (sessionId: string) => `${sessionId}${suffix}`;

/** Of which session it is, whichever of the two is named. */
export const sessionOf = (id: string): string =>
  id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;

/** What a process left that died meanwhile goes first: the session is in one process at a time. */
const separateFrom = (
  provider: SandboxProvider,
  session: { id: string; limits: SandboxLimits },
): WorkApart["run"] => {
  const sessionId = idOf(session.id);
  return async (network, work) => {
    await provider.destroy(sessionId);
    try {
      await provider.ensure({ sessionId, limits: session.limits, env: {}, network });
      return await work({ sessionId, exec: provider.exec });
    } finally {
      await provider.destroy(sessionId);
    }
  };
};

/** What mounts work with. */
export const sandboxesOf = (
  provider: SandboxProvider,
  session: { id: string; limits: SandboxLimits },
  room: SpareRoom,
): MountedSandbox & { apart: WorkApart } => ({
  exec: (request) => provider.exec(session.id, request),
  fill: (folder, change) => provider.fill(session.id, folder, change),
  apart: { run: separateFrom(provider, session), room },
});

/** Of a session that is gone. */
export async function destroyBoth(provider: SandboxProvider, sessionId: string): Promise<void> {
  await provider.destroy(idOf(sessionId));
  await provider.destroy(sessionId);
}

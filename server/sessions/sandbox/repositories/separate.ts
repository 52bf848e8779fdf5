// A sandbox beside that of a session, in which the server works with what no agent may see. It is made for one piece of
// work and deleted with all that it holds.
import type { SandboxLimits, SandboxNetwork, SandboxProvider } from "../../../sandboxes/module.ts";

import type { MountedSandbox } from "../../../mounts/module.ts";

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

/** One that a process left which was killed goes when the next one begins: it is none of a session. */
const separateFrom =
  (provider: SandboxProvider, limits: SandboxLimits): WorkApart["run"] =>
  async (network, work) => {
    const sessionId = provider.layers.newSandboxId();
    try {
      await provider.ensure({ sessionId, limits, env: {}, network });
      return await work({ sessionId, exec: provider.exec });
    } finally {
      await provider.destroy(sessionId);
    }
  };

/** What mounts work with. */
export const sandboxesOf = (
  provider: SandboxProvider,
  session: { id: string; limits: SandboxLimits },
  room: SpareRoom,
): MountedSandbox & { apart: WorkApart } => ({
  exec: (request) => provider.exec(session.id, request),
  fill: (folder, change) => provider.fill(session.id, folder, change),
  apart: { run: separateFrom(provider, session.limits), room },
});

// A sandbox beside that of a session, in which the server works with what no agent may see. It is made for one piece of
// work and deleted with all that it holds.
import type { SandboxLimits, SandboxNetwork, SandboxProvider } from "../../../sandboxes/module.ts";

import type { MountedSandbox } from "../../../mounts/module.ts";

export type SeparateSandbox = Pick<SandboxProvider, "exec"> & { sessionId: string };

export type WorkApart = <T>(
  network: SandboxNetwork,
  work: (apart: SeparateSandbox) => Promise<T>,
) => Promise<T>;

const suffix = "-apart";
const idOf = (sessionId: string) => `${sessionId}${suffix}`;

/** Of which session it is, whichever of the two is named. */
export const sessionOf = (id: string): string =>
  id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;

/** What a process left that died meanwhile goes first: the session is in one process at a time. */
const separateFrom =
  (provider: SandboxProvider, session: { id: string; limits: SandboxLimits }): WorkApart =>
  async (network, work) => {
    const sessionId = idOf(session.id);
    await provider.destroy(sessionId);
    try {
      await provider.ensure({ sessionId, limits: session.limits, env: {}, network });
      return await work({ sessionId, exec: provider.exec });
    } finally {
      await provider.destroy(sessionId);
    }
  };

/** What mounts work with. */
export const sandboxesOf = (
  provider: SandboxProvider,
  id: string,
  limits: SandboxLimits,
): MountedSandbox & { apart: WorkApart } => ({
  exec: (request) => provider.exec(id, request),
  fill: (folder, change) => provider.fill(id, folder, change),
  apart: separateFrom(provider, { id, limits }),
});

/** Of a session that is gone. */
export async function destroyBoth(provider: SandboxProvider, sessionId: string): Promise<void> {
  await provider.destroy(idOf(sessionId));
  await provider.destroy(sessionId);
}

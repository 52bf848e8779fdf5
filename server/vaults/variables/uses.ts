// Where credentials are used: a line of the audit log for each session, credential, host and hour, before it is.
import { RecentMap } from "../../../kernel/base/recent-map.ts";
import type { World } from "../../../kernel/context.ts";
import { part } from "../../../kernel/work/parts.ts";
import { recordChanges, using } from "../events.ts";
import * as queries from "./queries.ts";

const hourMs = 3_600_000;
/** Of a process; one that falls out is looked up in the database. */
const keptMax = 10_000;

/** The hours in which uses were written down last, the one written longest ago first. */
export const usesPart = part("uses of credentials", {
  make: () => new RecentMap<string, number>(keptMax),
});

export interface UseOfCredential extends queries.CredentialUse {
  organizationId: string;
  workspaceId: string;
  vaultId: string;
}

/** Rejects where it cannot be written down: then it must not be used. */
export async function noteUse(world: World, use: UseOfCredential): Promise<void> {
  const known = usesPart.of(world);
  const hour = Math.floor(world.clock.now().getTime() / hourMs);
  const key = JSON.stringify([use.sessionId, use.credentialId, use.host]);
  if (known.get(key) === hour) return;
  await world.db.tx(async (tx) => {
    if (!(await queries.addUse(tx, use, new Date(hour * hourMs)))) return;
    const { organizationId, workspaceId, credentialId, vaultId, sessionId, host } = use;
    const details = { session_id: sessionId, host };
    await recordChanges(tx, world, { organizationId, workspaceId, actor: using }, [
      { action: "vault_credential.used", id: credentialId, vaultId, details },
    ]);
  });
  known.set(key, hour);
}

// The vaults of a session: which it may have, and what it finds in them.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { serverSlot } from "./credentials/auth.ts";
import { listLive, type LiveCredential } from "./credentials/queries.ts";
import { findVaults } from "./queries.ts";
import type { TokenOwner } from "./tokens/renew.ts";

/** Rules VLT10 and VLT11: what is wrong with the vaults of a session that is to begin. */
export async function expectSessionVaults(
  on: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw invalid(`vault_ids: ${twice} is named twice.`);
  const found = new Map((await findVaults(on, workspaceId, ids)).map((row) => [row.id, row]));
  for (const id of ids) {
    const vault = found.get(id);
    if (vault === undefined) throw notFound("vault", id, { code: "vault_not_found" });
    if (vault.archivedAt !== null)
      throw invalid(`vault_ids: the vault ${id} is archived, and no session begins with it.`, {
        code: "vault_archived",
      });
  }
  expectOneEach(await listLive(on, workspaceId, ids));
}

function expectOneEach(credentials: readonly LiveCredential[]): void {
  const bySlot = new Map<string, LiveCredential>();
  for (const credential of credentials) {
    const other = bySlot.get(credential.slot);
    if (other !== undefined) {
      const what =
        credential.auth.type === "environment_variable"
          ? `the variable ${credential.auth.secret_name}`
          : credential.auth.mcp_server_url;
      throw invalid(
        `vault_ids: the credentials ${other.id} (of ${other.vaultId}) and ${credential.id} (of ${credential.vaultId}) are both for ${what}. A session has one for each: leave out a vault, or archive one of them.`,
        { code: "vault_credential_conflict" },
      );
    }
    bySlot.set(credential.slot, credential);
  }
}

/** More than one where another came after the session had begun: which of them is meant is not known then. */
export async function credentialsForServer(
  on: Queryable,
  { workspaceId, vaultIds }: { workspaceId: string; vaultIds: readonly string[] },
  url: string,
): Promise<TokenOwner[]> {
  if (vaultIds.length === 0) return [];
  const found = await listLive(on, workspaceId, vaultIds, serverSlot(url));
  return found.map(({ vaultId, id }) => ({ workspaceId, vaultId, id }));
}

// Statements about the environment variables of sessions, and about where credentials were used.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { CredentialRow } from "../credentials/queries.ts";
import type { ShownOf } from "../credentials/schema.ts";

export interface VariableRow extends Pick<CredentialRow, "id" | "vaultId" | "slot"> {
  auth: ShownOf<"environment_variable">;
  secret: string;
  /** Of the session; null where it has none yet. */
  placeholder: string | null;
}

/** What vaults are looked into for. */
export interface VaultsOfSession {
  id: string;
  organizationId: string;
  workspaceId: string;
  vaultIds: readonly string[];
}

/** Live ones, in the order of the vaults. */
export function listVariables(on: Queryable, session: VaultsOfSession): Promise<VariableRow[]> {
  return on.query<VariableRow>(sql`
    select row.id, row.vault_id as "vaultId", row.slot, row.auth, row.secret, known.placeholder
    from vault_credentials as row
    left join session_placeholders as known
      on known.session_id = ${session.id} and known.credential_id = row.id
    where row.workspace_id = ${session.workspaceId}
      and row.vault_id = any(${session.vaultIds}::text[])
      and row.archived_at is null and row.auth ->> 'type' = 'environment_variable'
    order by array_position(${session.vaultIds}::text[], row.vault_id), row.id`);
}

/** Those that another process was faster with stay. */
export async function placePlaceholders(
  on: Queryable,
  sessionId: string,
  placeholders: ReadonlyMap<string, string>,
): Promise<void> {
  await on.query(sql`
    insert into session_placeholders (session_id, credential_id, placeholder)
    select ${sessionId}, given.credential_id, given.placeholder
    from unnest(${[...placeholders.keys()]}::text[], ${[...placeholders.values()]}::text[])
      as given (credential_id, placeholder)
    where exists (select from sessions where id = ${sessionId})
    on conflict do nothing`);
}

export interface CredentialUse {
  sessionId: string;
  credentialId: string;
  host: string;
}

/** False where it was known already; or the credential or the session is gone. */
export async function addUse(
  tx: Tx,
  { sessionId, credentialId, host }: CredentialUse,
  hour: Date,
): Promise<boolean> {
  const added = await tx.query(sql`
    insert into credential_uses (session_id, credential_id, host, hour)
    select ${sessionId}, id, ${host}, ${hour}::timestamptz from vault_credentials
    where id = ${credentialId} and archived_at is null
      and exists (select from sessions where id = ${sessionId})
    on conflict (session_id, credential_id, host) do update set hour = excluded.hour
      where credential_uses.hour < excluded.hour
    returning 1`);
  return added.length > 0;
}

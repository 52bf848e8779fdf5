// Statements that change what is known of an organization's identity provider.
import type { Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { ProviderRow } from "./queries-control.ts";

export async function putProvider(
  tx: Tx,
  organizationId: string,
  provider: ProviderRow,
): Promise<void> {
  await tx.query(sql`
    insert into identity_providers
      (organization_id, name, provisioning, controls_roles, controls_groups, updated_at)
    values (${organizationId}, ${provider.name}, ${provider.provisioning},
            ${provider.controls_roles}, ${provider.controls_groups}, ${provider.updated_at})
    on conflict (organization_id) do update
    set name = excluded.name, provisioning = excluded.provisioning,
        controls_roles = excluded.controls_roles, controls_groups = excluded.controls_groups,
        updated_at = excluded.updated_at`);
}

export async function deleteProviderButScim(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    delete from identity_providers
    where organization_id = ${organizationId} and provisioning <> 'scim'`);
}

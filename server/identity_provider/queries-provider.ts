// Statements that change the settings of an organization's identity provider.
import type { Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export async function deleteProviderButScim(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    delete from identity_providers
    where organization_id = ${organizationId} and provisioning <> 'scim'`);
}

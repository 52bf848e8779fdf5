// Statements about a person's name and e-mail.
import type { Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export async function setEmail(
  tx: Tx,
  organizationId: string,
  userId: string,
  { email, emailKey }: { email: string; emailKey: string },
): Promise<void> {
  await tx.query(sql`
    update users set email = ${email}, email_key = ${emailKey}
    where organization_id = ${organizationId} and id = ${userId}`);
}

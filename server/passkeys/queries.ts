// Statements about passkeys.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface PasskeyRow {
  id: string;
  organization_id: string;
  user_id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  backed_up: boolean;
  relying_party: string;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
}

const columns = sql`
  id, organization_id, user_id, credential_id, public_key, counter, transports, backed_up,
  relying_party, name, created_at, last_used_at`;

export async function insertPasskey(
  tx: Tx,
  organizationId: string,
  passkey: Omit<PasskeyRow, "organization_id" | "last_used_at">,
): Promise<void> {
  await tx.query(sql`
    insert into passkeys
      (id, organization_id, user_id, credential_id, public_key, counter, transports, backed_up,
       relying_party, name, created_at)
    values (${passkey.id}, ${organizationId}, ${passkey.user_id}, ${passkey.credential_id},
            ${passkey.public_key}, ${passkey.counter}, ${passkey.transports}, ${passkey.backed_up},
            ${passkey.relying_party}, ${passkey.name}, ${passkey.created_at})`);
}

export function listPasskeys(
  queries: Queryable,
  organizationId: string,
  userId: string,
): Promise<PasskeyRow[]> {
  return queries.query<PasskeyRow>(sql`
    select ${columns}
    from passkeys
    where organization_id = ${organizationId} and user_id = ${userId}
    order by id desc
    limit 100`);
}

/** Two registrations at once must not both be the last that fits, nor two removals leave a step without a passkey. */
export async function lockPerson(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx.query(sql`
    select id from users where organization_id = ${organizationId} and id = ${userId} for update`);
}

/** Across organizations: a sign-in by passkey names none. */
export async function findByCredential(
  queries: Queryable,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  const [row] = await queries.query<PasskeyRow>(sql`
    select ${columns} from passkeys where credential_id = ${credentialId}`);
  return row;
}

/** False when its counter has moved on meanwhile: another answer of the same passkey came first. */
export async function noteUse(
  tx: Tx,
  organizationId: string,
  id: string,
  use: { counterBefore: number; counter: number; backedUp: boolean; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update passkeys
    set counter = ${use.counter}, backed_up = ${use.backedUp}, last_used_at = ${use.at}
    where organization_id = ${organizationId} and id = ${id} and counter = ${use.counterBefore}
    returning id`);
  return rows.length > 0;
}

export async function renamePasskey(
  tx: Tx,
  organizationId: string,
  userId: string,
  { id, name }: { id: string; name: string },
): Promise<PasskeyRow | undefined> {
  const [row] = await tx.query<PasskeyRow>(sql`
    update passkeys set name = ${name}
    where organization_id = ${organizationId} and user_id = ${userId} and id = ${id}
    returning ${columns}`);
  return row;
}

export async function deletePasskey(
  tx: Tx,
  organizationId: string,
  userId: string,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`
    delete from passkeys
    where organization_id = ${organizationId} and user_id = ${userId} and id = ${id}
    returning name`);
  return row?.name;
}

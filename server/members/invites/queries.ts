// Statements about invites.
import type { PageWindow } from "../../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import type { Role } from "../users/roles.ts";

export type InviteStatus = "pending" | "accepted" | "expired" | "deleted";

export interface InviteRow {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  rbac_group_ids: string[];
  status: InviteStatus;
  invited_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
  invited_by_name: string | null;
  seat_tier_id: string | null;
  has_link: boolean;
  mail_status: "waiting" | "sent" | "failed" | null;
  mail_error: string | null;
  mail_at: Date | null;
}

const columns: Statement = sql`
  i.id, i.organization_id, i.email, i.role, i.rbac_group_ids, i.status, i.invited_at, i.expires_at,
  i.accepted_at, i.invited_by_name, i.seat_tier_id, i.secret_sha256 is not null as has_link,
  i.mail_status, i.mail_error, i.mail_at`;

export async function insertInvite(
  tx: Tx,
  organizationId: string,
  invite: {
    id: string;
    email: string;
    emailKey: string;
    role: Role;
    groupIds: readonly string[];
    invitedAt: Date;
    expiresAt: Date;
    invitedByName: string | null;
    seatTierId: string | null;
  },
): Promise<void> {
  await tx.query(sql`
    insert into invites
      (id, organization_id, email, email_key, role, rbac_group_ids, status, invited_at, expires_at,
       invited_by_name, seat_tier_id)
    values (${invite.id}, ${organizationId}, ${invite.email}, ${invite.emailKey}, ${invite.role},
            ${invite.groupIds}, 'pending', ${invite.invitedAt}, ${invite.expiresAt},
            ${invite.invitedByName}, ${invite.seatTierId})`);
}

export async function findInvite(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<InviteRow | undefined> {
  const [row] = await queries.query<InviteRow>(sql`
    select ${columns} from invites i where i.organization_id = ${organizationId} and i.id = ${id}`);
  return row;
}

/** Across organizations: the link alone says which one it is of. */
export async function findInviteBySecret(
  queries: Queryable,
  secretSha256: Buffer,
): Promise<(InviteRow & { organization_name: string }) | undefined> {
  const [row] = await queries.query<InviteRow & { organization_name: string }>(sql`
    select ${columns}, o.name as organization_name
    from invites i join organizations o on o.id = i.organization_id
    where i.secret_sha256 = ${secretSha256}`);
  return row;
}

export async function findPendingByPlainEmail(
  queries: Queryable,
  organizationId: string,
  emailPlain: string,
): Promise<{ id: string } | undefined> {
  const [row] = await queries.query<{ id: string }>(sql`
    select id from invites
    where organization_id = ${organizationId} and email_plain = ${emailPlain}
      and status = 'pending'`);
  return row;
}

/** Invites to exactly this address. */
export async function findPendingFor(
  queries: Queryable,
  organizationId: string,
  { emailKey, emailPlain }: { emailKey: string; emailPlain: string },
): Promise<InviteRow | undefined> {
  const [row] = await queries.query<InviteRow>(sql`
    select ${columns}
    from invites i
    where i.organization_id = ${organizationId} and i.email_plain = ${emailPlain}
      and i.email_key = ${emailKey} and i.status = 'pending'`);
  return row;
}

export interface InviteFilter {
  emailPlain: string | null;
  statuses: readonly InviteStatus[];
  roles: readonly Role[] | null;
}

/** Each branch walks an index that ends with the id. */
export function listInvites(
  queries: Queryable,
  organizationId: string,
  { emailPlain, statuses, roles }: InviteFilter,
  { after, before, rows }: PageWindow,
): Promise<InviteRow[]> {
  const order = before === null ? sql`i.id desc` : sql`i.id asc`;
  const inWindow = sql`
    (${after}::text is null or i.id < ${after}) and (${before}::text is null or i.id > ${before})`;
  if (emailPlain !== null)
    return queries.query<InviteRow>(sql`
      select ${columns}
      from invites i
      where i.organization_id = ${organizationId} and i.email_plain = ${emailPlain}
        and i.status = any(${statuses}) and (${roles}::text[] is null or i.role = any(${roles}))
        and ${inWindow}
      order by ${order}
      limit ${rows}`);
  // One branch for each value, visible to the planner: joined to a list of them it walks the primary key.
  const kinds = statuses.flatMap((status) => (roles ?? [null]).map((role) => ({ status, role })));
  const branches = kinds.map(
    ({ status, role }) => sql`
      (select ${columns}
       from invites i
       where i.organization_id = ${organizationId} and i.status = ${status}
         and ${role === null ? sql`true` : sql`i.role = ${role}`} and ${inWindow}
       order by ${order}
       limit ${rows})`,
  );
  if (branches.length === 0) return Promise.resolve([]);
  return queries.query<InviteRow>(sql`
    select ${outer}
    from (${joinStatements(branches, " union all ")}) i
    order by ${order}
    limit ${rows}`);
}

const outer: Statement = sql`
  i.id, i.organization_id, i.email, i.role, i.rbac_group_ids, i.status, i.invited_at, i.expires_at,
  i.accepted_at, i.invited_by_name, i.seat_tier_id, i.has_link, i.mail_status, i.mail_error,
  i.mail_at`;

export async function countPending(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*) as count from invites
    where organization_id = ${organizationId} and status = 'pending'`);
  return row?.count ?? 0;
}

export async function hasDue(
  queries: Queryable,
  organizationId: string,
  now: Date,
): Promise<boolean> {
  const [row] = await queries.query<{ due: boolean }>(sql`
    select exists (
      select 1 from invites
      where organization_id = ${organizationId} and status = 'pending' and expires_at <= ${now}
    ) as due`);
  return row?.due === true;
}

/** Organizations with invites whose time has passed: for the sweep. */
export function listOrganizationsWithDue(
  queries: Queryable,
  now: Date,
): Promise<{ organization_id: string }[]> {
  return queries.query<{ organization_id: string }>(sql`
    select distinct organization_id from invites
    where status = 'pending' and expires_at <= ${now}
    order by organization_id`);
}

/** How many seats of which tier are returned. */
export function markDueInvitesExpired(
  tx: Tx,
  organizationId: string,
  now: Date,
): Promise<{ seat_tier_id: string; seats: number }[]> {
  return tx.query<{ seat_tier_id: string; seats: number }>(sql`
    with expired as (
      update invites set status = 'expired'
      where organization_id = ${organizationId} and status = 'pending' and expires_at <= ${now}
      returning seat_tier_id)
    select seat_tier_id, count(*) as seats from expired
    where seat_tier_id is not null
    group by seat_tier_id`);
}

export async function endInvite(
  tx: Tx,
  organizationId: string,
  id: string,
  end: { status: "accepted" | "deleted"; acceptedAt: Date | null },
): Promise<void> {
  await tx.query(sql`
    update invites set status = ${end.status}, accepted_at = ${end.acceptedAt}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function setSecret(
  tx: Tx,
  organizationId: string,
  id: string,
  secretSha256: Buffer,
): Promise<void> {
  await tx.query(sql`
    update invites set secret_sha256 = ${secretSha256}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Only while the mail carries the newest link. */
export async function setMail(
  tx: Tx,
  organizationId: string,
  id: string,
  mail: {
    secretSha256: Buffer;
    status: "waiting" | "sent" | "failed";
    error: string | null;
    at: Date;
  },
): Promise<void> {
  await tx.query(sql`
    update invites
    set mail_status = ${mail.status}, mail_error = ${mail.error}, mail_at = ${mail.at}
    where organization_id = ${organizationId} and id = ${id}
      and secret_sha256 = ${mail.secretSha256}`);
}

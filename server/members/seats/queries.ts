// Statements about seats: the tiers of an organization's pool and how many of each are taken.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface TierRow {
  id: string;
  name: string;
  position: number;
  seats: number;
  taken: number;
}

/** Lowest first. */
export function listTiers(queries: Queryable, organizationId: string): Promise<TierRow[]> {
  return queries.query<TierRow>(sql`
    select id, name, position, seats, taken
    from seat_tiers
    where organization_id = ${organizationId}
    order by position`);
}

export async function insertTier(
  tx: Tx,
  organizationId: string,
  tier: Omit<TierRow, "taken">,
): Promise<void> {
  await tx.query(sql`
    insert into seat_tiers (id, organization_id, name, position, seats, taken)
    values (${tier.id}, ${organizationId}, ${tier.name}, ${tier.position}, ${tier.seats}, 0)`);
}

export async function updateTier(
  tx: Tx,
  organizationId: string,
  { id, name, position, seats }: Omit<TierRow, "taken">,
): Promise<void> {
  await tx.query(sql`
    update seat_tiers set name = ${name}, position = ${position}, seats = ${seats}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function deleteTier(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from seat_tiers where organization_id = ${organizationId} and id = ${id}`);
}

export async function addTaken(
  tx: Tx,
  organizationId: string,
  id: string,
  seats: number,
): Promise<void> {
  await tx.query(sql`
    update seat_tiers set taken = taken + ${seats}
    where organization_id = ${organizationId} and id = ${id}`);
}

/** Gives a seat of this tier to so many members without one, the oldest first; returns how many got one. */
export async function giveSeatsToMembers(
  tx: Tx,
  organizationId: string,
  tierId: string,
  seats: number,
): Promise<number> {
  const rows = await tx.query<{ seated: number }>(sql`
    with seated as (
      update users set seat_tier_id = ${tierId}
      where id in (
        select id from users
        where organization_id = ${organizationId} and seat_tier_id is null
        order by id
        limit ${seats})
      returning id)
    select count(*) as seated from seated`);
  return rows[0]?.seated ?? 0;
}

export async function giveSeatsToInvites(
  tx: Tx,
  organizationId: string,
  tierId: string,
  seats: number,
): Promise<number> {
  const rows = await tx.query<{ seated: number }>(sql`
    with seated as (
      update invites set seat_tier_id = ${tierId}
      where id in (
        select id from invites
        where organization_id = ${organizationId} and status = 'pending' and seat_tier_id is null
        order by id
        limit ${seats})
      returning id)
    select count(*) as seated from seated`);
  return rows[0]?.seated ?? 0;
}

export async function countUnseated(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select (select count(*) from users
            where organization_id = ${organizationId} and seat_tier_id is null)
         + (select count(*) from invites
            where organization_id = ${organizationId} and status = 'pending'
              and seat_tier_id is null) as count`);
  return row?.count ?? 0;
}

/** The pool is given up: no member holds a seat any more. */
export async function clearSeats(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    update users set seat_tier_id = null
    where organization_id = ${organizationId} and seat_tier_id is not null`);
  await tx.query(sql`
    update invites set seat_tier_id = null
    where organization_id = ${organizationId} and status = 'pending' and seat_tier_id is not null`);
}

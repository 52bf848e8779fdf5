// Statements of the chain: its rows as they are hashed, its head, its signatures, and what was found wrong.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

/** All fields as the texts that are hashed. */
export interface LinkRow {
  id: string;
  seq: string;
  previous_hash: string | null;
  hash: string | null;
  at_us: string;
  action: string;
  actor_type: string;
  actor_id: string | null;
  actor_name: string | null;
  target_type: string | null;
  target_id: string | null;
  address: string;
  request_id: string | null;
  details: string;
  search: string | null;
}

export interface LinkPosition {
  seq: string;
  id: string;
}

/** In the order of the chain; where two rows were given one number, both. */
export function readChain(
  on: Queryable,
  organizationId: string,
  after: LinkPosition,
  rows: number,
): Promise<LinkRow[]> {
  return on.query<LinkRow>(
    preparedAs(
      "audit.read_chain",
      sql`
        select id, seq::text, encode(previous_hash, 'hex') as previous_hash,
          encode(hash, 'hex') as hash,
          ((extract(epoch from at) * 1000000)::bigint)::text as at_us, action, actor_type, actor_id,
          actor_name, target_type, target_id, address, request_id, details::text as details,
          search::text as search
        from audit_events as event
        where organization_id = ${organizationId} and event.seq is not null
          and (event.seq, event.id) > (${after.seq}::bigint, ${after.id})
        order by event.seq, event.id limit ${rows}`,
    ),
  );
}

export interface ChainHead {
  seq: number;
  hash: string;
}

export async function readHead(
  on: Queryable,
  organizationId: string,
): Promise<ChainHead | undefined> {
  const [row] = await on.query<ChainHead>(sql`
    select seq, encode(hash, 'hex') as hash from audit_heads
    where organization_id = ${organizationId}`);
  return row;
}

/** Every organization that has an event, a head or a finding: walks an index from one to the next. */
export async function listChains(on: Queryable): Promise<string[]> {
  const rows = await on.query<{ id: string }>(sql`
    with recursive chained as (
      (select organization_id from audit_events where seq is not null
        order by organization_id, seq limit 1)
      union all
      select (select e.organization_id from audit_events e
        where e.seq is not null and e.organization_id > chained.organization_id
        order by e.organization_id, e.seq limit 1)
      from chained where chained.organization_id is not null
    )
    select organization_id as id from chained where organization_id is not null
    union select organization_id from audit_heads
    union select organization_id from audit_checks
    union select organization_id from audit_events where seq is null
    order by id`);
  return rows.map(({ id }) => id);
}

/** Rows outside the chain: how many, and the first of them. */
export async function readUnsealed(
  on: Queryable,
  organizationId: string,
): Promise<{ count: number; first: string | null }> {
  const [row] = await on.query<{ count: number; first: string | null }>(sql`
    select count(*) as count, min(id) as first from audit_events
    where organization_id = ${organizationId} and seq is null`);
  return row ?? { count: 0, first: null };
}

/** Organizations with rows outside the chain that have no finding yet. */
export async function listOrganizationsWithUnsealed(on: Queryable): Promise<string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select distinct organization_id as id
    from audit_events event left join audit_checks checked using (organization_id)
    where event.seq is null and checked.problem is null
    order by id`);
  return rows.map(({ id }) => id);
}

export async function readClosing(on: Queryable): Promise<string | undefined> {
  const [row] = await on.query<{ signature: string }>(sql`select signature from audit_closing`);
  return row?.signature;
}

export async function setClosing(tx: Tx, signature: string): Promise<void> {
  await tx.query(sql`
    insert into audit_closing (signature) values (${signature})
    on conflict (one) do update set signature = excluded.signature`);
}

export interface UnsealedRow {
  id: string;
  organization_id: string;
  action: string;
  actor_id: string | null;
  actor_name: string | null;
  target_id: string | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
}

/** One organization after the other, rows in the order in which they were made. */
export function listUnsealed(on: Queryable, rows: number): Promise<UnsealedRow[]> {
  return on.query<UnsealedRow>(sql`
    select id, organization_id, action, actor_id, actor_name, target_id, address, request_id,
      details
    from audit_events where seq is null
    order by organization_id, id limit ${rows}`);
}

export async function sealEvents(
  tx: Tx,
  organizationId: string,
  events: readonly { id: string; words: readonly string[] }[],
): Promise<void> {
  await tx.query(sql`select audit_seal(${organizationId}, ${JSON.stringify(events)}::jsonb)`);
}

export interface CheckRow {
  verified_seq: number;
  verified_at: Date | null;
  anchored_seq: number;
  anchored_at: Date | null;
  anchor: string | null;
  problem: string | null;
  found_at: Date | null;
}

export async function readCheck(
  on: Queryable,
  organizationId: string,
): Promise<CheckRow | undefined> {
  const [row] = await on.query<CheckRow>(sql`
    select verified_seq, verified_at, anchored_seq, anchored_at, anchor, problem, found_at
    from audit_checks where organization_id = ${organizationId}`);
  return row;
}

/** Chains that have grown since their head was signed. */
export async function listUnanchored(
  on: Queryable,
  after: string,
  rows: number,
): Promise<string[]> {
  const found = await on.query<{ id: string }>(sql`
    select head.organization_id as id
    from audit_heads head left join audit_checks checked using (organization_id)
    where head.organization_id > ${after} and head.seq is distinct from checked.anchored_seq
    order by head.organization_id limit ${rows}`);
  return found.map(({ id }) => id);
}

export async function setAnchor(
  tx: Tx,
  organizationId: string,
  anchored: { seq: number; at: Date; anchor: string },
): Promise<void> {
  await tx.query(sql`
    insert into audit_checks (organization_id, anchored_seq, anchored_at, anchor)
    values (${organizationId}, ${anchored.seq}, ${anchored.at}, ${anchored.anchor})
    on conflict (organization_id) do update
    set anchored_seq = excluded.anchored_seq, anchored_at = excluded.anchored_at,
      anchor = excluded.anchor
    where audit_checks.anchored_seq <= excluded.anchored_seq`);
}

/** The result of verifying a whole chain: up to where it holds, and what is wrong with it. */
export async function setVerified(
  tx: Tx,
  organizationId: string,
  found: { seq: number; at: Date; problem: string | null },
): Promise<void> {
  await tx.query(sql`
    insert into audit_checks as checked
      (organization_id, verified_seq, verified_at, problem, found_at)
    values (${organizationId}, ${found.seq}, ${found.at}, ${found.problem},
      case when ${found.problem}::text is null then null else ${found.at}::timestamptz end)
    on conflict (organization_id) do update
    set verified_seq = excluded.verified_seq, verified_at = excluded.verified_at,
      problem = excluded.problem,
      found_at = case when excluded.problem is null then null
        else coalesce(checked.found_at, excluded.found_at) end`);
}

export async function readHash(
  on: Queryable,
  organizationId: string,
  seq: number,
): Promise<string | null> {
  const [row] = await on.query<{ hash: string | null }>(sql`
    select encode(hash, 'hex') as hash from audit_events
    where organization_id = ${organizationId} and seq = ${seq}`);
  return row?.hash ?? null;
}

/** An error found where only the end of a chain was verified. */
export async function setProblem(
  tx: Tx,
  organizationId: string,
  found: { at: Date; problem: string },
): Promise<void> {
  await tx.query(sql`
    insert into audit_checks as checked (organization_id, problem, found_at)
    values (${organizationId}, ${found.problem}, ${found.at})
    on conflict (organization_id) do update
    set problem = excluded.problem, found_at = coalesce(checked.found_at, excluded.found_at)`);
}

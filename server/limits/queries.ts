// The statements of limits: what was set, and the pools under their locks.
import type { Lease } from "../../kernel/work/lease.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";
import type { Period } from "./periods.ts";
import type { RateType } from "./schema.ts";

export interface RateRow {
  workspaceId: string;
  group: string;
  type: RateType;
  perMinute: number;
}

export function selectRates(on: Queryable, organizationId: string): Promise<RateRow[]> {
  return on.query<RateRow>(
    preparedAs(
      "limits_rates",
      sql`select workspace_id as "workspaceId", model_group as "group", type,
          per_minute as "perMinute"
        from rate_limits where organization_id = ${organizationId}`,
    ),
  );
}

/** The workspaces that have a spend limit, and which; the empty one is the organization. */
export interface SpendRow {
  workspaceId: string;
  nano: string;
}

export function selectSpends(on: Queryable, organizationId: string): Promise<SpendRow[]> {
  return on.query<SpendRow>(
    preparedAs(
      "limits_spend",
      sql`select workspace_id as "workspaceId", limit_nano::text as nano
        from spend_limits where organization_id = ${organizationId}`,
    ),
  );
}

export interface UserSpendRow {
  period: Period;
  nano: string;
}

export function selectUserSpends(
  on: Queryable,
  organizationId: string,
  userId: string,
): Promise<UserSpendRow[]> {
  return on.query<UserSpendRow>(
    preparedAs(
      "limits_user_spend",
      sql`select period, limit_nano::text as nano from user_spend_limits
        where organization_id = ${organizationId} and user_id = ${userId} and limit_nano is not null`,
    ),
  );
}

/** One change of its limits after the other, so that each knows what was before. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

/** Null takes the override away. */
export async function setRate(
  tx: Tx,
  organizationId: string,
  {
    workspaceId,
    group,
    type,
    perMinute,
  }: Omit<RateRow, "perMinute"> & { perMinute: number | null },
): Promise<void> {
  if (perMinute === null)
    await tx.query(sql`delete from rate_limits where organization_id = ${organizationId}
      and workspace_id = ${workspaceId} and model_group = ${group} and type = ${type}`);
  else
    await tx.query(sql`insert into rate_limits
        (organization_id, workspace_id, model_group, type, per_minute)
      values (${organizationId}, ${workspaceId}, ${group}, ${type}, ${perMinute})
      on conflict (organization_id, workspace_id, model_group, type)
      do update set per_minute = excluded.per_minute`);
}

export async function setSpend(
  tx: Tx,
  organizationId: string,
  workspaceId: string,
  limitNano: bigint | null,
): Promise<void> {
  if (limitNano === null)
    await tx.query(sql`delete from spend_limits
      where organization_id = ${organizationId} and workspace_id = ${workspaceId}`);
  else
    await tx.query(sql`insert into spend_limits (organization_id, workspace_id, limit_nano)
      values (${organizationId}, ${workspaceId}, ${String(limitNano)}::bigint)
      on conflict (organization_id, workspace_id) do update set
        limit_nano = excluded.limit_nano, updated_at = clock_timestamp()`);
}

/** In the order of their keys, so that two rounds never wait for each other. */
export async function lockPools(tx: Tx, keys: readonly string[]): Promise<Map<string, PoolRow>> {
  const rows = await tx.query<PoolRow & { key: string }>(
    preparedAs(
      "limits_lock",
      sql`select key, tokens, extract(epoch from at)::double precision * 1000 as "atMs"
        from rate_pools where key = any(${keys}::text[]) order by key for update`,
    ),
  );
  return new Map(rows.map((row) => [row.key, row]));
}

export interface PoolRow {
  tokens: number;
  atMs: number;
}

/** A bucket is full when it is made. */
export async function insertPools(
  tx: Tx,
  pools: readonly { key: string; perMinute: number }[],
): Promise<void> {
  await tx.query(sql`insert into rate_pools (key, tokens, at)
    select key, tokens, clock_timestamp()
    from unnest(${pools.map(({ key }) => key)}::text[],
      ${pools.map(({ perMinute }) => perMinute)}::double precision[]) as made (key, tokens)
    order by key on conflict (key) do nothing`);
}

export interface HeldTokens {
  key: string;
  others: number;
  own: number;
  nowMs: number;
}

/** A statement of its own, after the lock: a snapshot from before it would not see the last deal. */
export function selectHeld(tx: Tx, keys: readonly string[], owner: string): Promise<HeldTokens[]> {
  return tx.query<HeldTokens>(
    preparedAs(
      "limits_held",
      sql`select asked.key, extract(epoch from clock_timestamp())::double precision * 1000 as "nowMs",
          coalesce(sum(held) filter (where owner <> ${owner}), 0) as others,
          coalesce(sum(held) filter (where owner = ${owner}), 0) as own
        from unnest(${keys}::text[]) as asked (key)
        left join rate_slices on rate_slices.key = asked.key and until > clock_timestamp()
        group by asked.key`,
    ),
  );
}

export interface Dealt {
  key: string;
  tokens: number;
  atMs: number;
  held: number;
}

export async function writeDealt(
  tx: Tx,
  owner: string,
  dealt: readonly Dealt[],
  sliceMs: number,
): Promise<void> {
  const numbers = (key: "tokens" | "atMs" | "held") => dealt.map((one) => one[key]);
  await tx.query(
    preparedAs(
      "limits_deal",
      sql`with dealt as materialized (
          select key, tokens, at_ms, held from unnest(${dealt.map(({ key }) => key)}::text[],
            ${numbers("tokens")}::double precision[], ${numbers("atMs")}::double precision[],
            ${numbers("held")}::double precision[]) as dealt (key, tokens, at_ms, held)
        ), filled as (
          update rate_pools set tokens = dealt.tokens, at = to_timestamp(dealt.at_ms / 1000)
          from dealt where rate_pools.key = dealt.key
        ), dead as (
          delete from rate_slices using dealt
          where rate_slices.key = dealt.key and owner <> ${owner}::text and until < clock_timestamp()
        )
        insert into rate_slices (key, owner, held, until)
        select key, ${owner}::text, held,
          clock_timestamp() + ${sliceMs}::bigint * interval '1 millisecond' from dealt
        on conflict (key, owner) do update set held = excluded.held, until = excluded.until`,
    ),
  );
}

/** The limit, with its row locked; undefined where there is none any more. */
export async function lockSpendLimit(
  tx: Tx,
  { organizationId, holderId, user }: SpendScope,
): Promise<bigint | undefined> {
  const statement =
    user === undefined
      ? preparedAs(
          "limits_spend_lock",
          sql`select limit_nano::text as nano from spend_limits
            where organization_id = ${organizationId} and workspace_id = ${holderId} for update`,
        )
      : preparedAs(
          "limits_user_lock",
          sql`select limit_nano::text as nano from user_spend_limits
            where organization_id = ${organizationId} and user_id = ${user.id}
              and period = ${user.period} for update`,
        );
  const [row] = await tx.query<{ nano: string | null }>(statement);
  return row?.nano == null ? undefined : BigInt(row.nano);
}

export interface SpendScope {
  organizationId: string;
  /** Whose limit it is: empty for all of the organization, else a workspace or a member (column `workspace_id`). */
  holderId: string;
  /** The month, or the day or week of a member's limit, as `spanOf` names it (column `month`). */
  periodKey: string;
  user?: { id: string; period: Period; from: string; until: string };
}

export interface TakenSpend {
  others: bigint;
  /** What this node has spent, whichever process had it. */
  ownSpent: bigint;
  /** Undefined where this process has no slice in the database. */
  ownCeiling: bigint | undefined;
  /** What others may still spend. */
  othersFree: bigint;
}

const spentBy = ({ organizationId, holderId, periodKey, user }: SpendScope): Statement =>
  user === undefined
    ? sql`select node, sum(spent_nano) as spent from spend_months
          where organization_id = ${organizationId} and month = ${periodKey}
            and (${holderId}::text = '' or workspace_id = ${holderId}::text)
          group by node`
    : sql`select node, sum(spent_nano) as spent from spend_user_days
          where organization_id = ${organizationId} and user_id = ${user.id}
            and day >= ${user.from}::date and day < ${user.until}::date
          group by node`;

/** A node counts with what it has spent, or with what it may spend while its process has it. */
export async function selectTaken(tx: Tx, scope: SpendScope, lease: Lease): Promise<TakenSpend> {
  const { organizationId, holderId, periodKey } = scope;
  const [row] = await tx.query<
    Record<"others" | "spent" | "free", string> & { ceiling: string | null }
  >(
    preparedAs(
      scope.user === undefined ? "limits_taken" : "limits_taken_user",
      sql`with spent as (${spentBy(scope)}), live as (
          select slice.node, slice.ceiling_nano as ceiling
          from spend_slices as slice
          join ledger_nodes on ledger_nodes.id = slice.node
            and ledger_nodes.lease_epoch = slice.epoch and ledger_nodes.lease_owner is not null
          where slice.organization_id = ${organizationId}
            and slice.workspace_id = ${holderId}::text and slice.month = ${periodKey}
        ), place as (
          select node, coalesce(spent, 0) as spent, ceiling from spent full join live using (node)
        )
        select coalesce(sum(greatest(spent, ceiling)) filter (where node <> ${lease.id}), 0)::text as others,
          coalesce(sum(greatest(ceiling - spent, 0)) filter (where node <> ${lease.id}), 0)::text as free,
          coalesce(sum(spent) filter (where node = ${lease.id}), 0)::text as spent,
          (max(ceiling) filter (where node = ${lease.id}))::text as ceiling
        from place`,
    ),
  );
  return {
    others: BigInt(row?.others ?? 0),
    othersFree: BigInt(row?.free ?? 0),
    ownSpent: BigInt(row?.spent ?? 0),
    ownCeiling: row?.ceiling == null ? undefined : BigInt(row.ceiling),
  };
}

export async function writeCeiling(
  tx: Tx,
  { organizationId, holderId, periodKey }: SpendScope,
  lease: Lease,
  ceiling: bigint,
): Promise<void> {
  await tx.query(
    preparedAs(
      "limits_ceiling",
      sql`insert into spend_slices (organization_id, workspace_id, month, node, epoch, ceiling_nano)
        values (${organizationId}, ${holderId}, ${periodKey}, ${lease.id}, ${lease.epoch}::bigint,
          ${String(ceiling)}::bigint)
        on conflict (organization_id, workspace_id, month, node)
        do update set epoch = excluded.epoch, ceiling_nano = excluded.ceiling_nano`,
    ),
  );
}

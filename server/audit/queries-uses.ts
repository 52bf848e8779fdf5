// Statements about when credentials were used.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface Use {
  actorId: string;
  hour: Date;
  uses: number;
}

export interface FirstUse {
  actorId: string;
  hour: Date;
  /** The last hour before in which the credential was used, with its count; null where none is known. */
  lastHour: Date | null;
  lastUses: number | null;
}

/** Adds the counts of a process; returns the credentials not used in their hour before. */
export function addUses(tx: Tx, organizationId: string, uses: readonly Use[]): Promise<FirstUse[]> {
  return tx.query<FirstUse>(sql`
    with counted as (
      insert into audit_uses as known (organization_id, actor_id, hour, uses)
      select ${organizationId}, actor_id, hour, uses
      from unnest(${uses.map(({ actorId }) => actorId)}::text[],
        ${uses.map(({ hour }) => hour)}::timestamptz[],
        ${uses.map((use) => use.uses)}::bigint[]) as used (actor_id, hour, uses)
      order by actor_id, hour
      on conflict (organization_id, actor_id, hour) do update set uses = known.uses + excluded.uses
      returning actor_id, hour, xmax = 0 as is_first
    )
    select counted.actor_id as "actorId", counted.hour, last.hour as "lastHour",
      last.uses as "lastUses"
    from counted left join lateral (
      select before.hour, before.uses from audit_uses as before
      where before.organization_id = ${organizationId} and before.actor_id = counted.actor_id
        and before.hour < counted.hour
      order by before.hour desc limit 1) as last on true
    where counted.is_first order by counted.hour, counted.actor_id`);
}

export async function deleteUses(on: Queryable, before: Date): Promise<void> {
  await on.query(sql`delete from audit_uses where hour < ${before}`);
}

// What was used lately and what is under way: for people who look at limits.
import { sql } from "../../../kernel/sql/statement.ts";
import { postJournal, type PostingWorld } from "../journal/post.ts";
import { isWithoutModel } from "./queries-facts.ts";

export interface RecentUsage {
  workspaceId: string;
  model: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

/**
 * Attempts that began since then; guards, batches and what has no model fall under no rate. Of those under way nothing
 * else is known.
 */
export async function usedSince(
  world: PostingWorld,
  organizationId: string,
  since: Date,
): Promise<RecentUsage[]> {
  await postJournal(world);
  return world.db.query<RecentUsage>(sql`
    select workspace_id as "workspaceId", model, sum(requests)::double precision as requests,
      sum(input)::double precision as "inputTokens", sum(output)::double precision as "outputTokens"
    from (
      select workspace_id, model, 1 as requests,
        input_tokens + cache_write_5m_tokens + cache_write_1h_tokens as input,
        output_tokens as output
      from ledger
      where organization_id = ${organizationId} and at > ${since}
        and kind not in ('guard', 'batch') and not ${isWithoutModel}
      union all
      select workspace_id, model, 1, 0, 0
      from ledger_opens
      where organization_id = ${organizationId} and at > ${since}
        and not ${isWithoutModel}
    ) as attempts
    group by 1, 2`);
}

export interface MonthSpend {
  workspaceId: string;
  spentNano: string;
  /** The most that what is under way may cost. */
  reservedNano: string;
}

/** Workspaces in which nothing was spent are left out. */
export async function spendOfMonth(
  world: PostingWorld,
  organizationId: string,
  month: string,
): Promise<MonthSpend[]> {
  await postJournal(world);
  return world.db.query<MonthSpend>(sql`
    select workspace_id as "workspaceId", sum(spent)::text as "spentNano",
      sum(reserved)::text as "reservedNano"
    from (
      select workspace_id, spent_nano as spent, 0 as reserved
      from spend_months where organization_id = ${organizationId} and month = ${month}
      union all
      select workspace_id, 0, reserve_nano
      from ledger_opens where organization_id = ${organizationId} and month = ${month}
    ) as sums
    group by 1`);
}

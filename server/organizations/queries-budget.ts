// The statement behind the budgets of administration.
import type { Queryable } from "../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../kernel/sql/statement.ts";
import type { RequestBudget } from "./settings.ts";

/**
 * Milliseconds to wait, 0 for a request that is admitted. All is decided under the row's lock, by the database's
 * clock, read once the lock is held; where that clock was set back, what it had admitted counts as just now.
 */
export async function admitRequest(
  on: Queryable,
  organizationId: string,
  { name, requestsMax, windowMs }: RequestBudget,
): Promise<number> {
  const [row] = await on.query<{ waitMs: number }>(
    preparedAs(
      "organizations.admit",
      sql`
        insert into administration_budgets as budget (organization_id, name, admitted, wait_ms)
        values (${organizationId}, ${name}, array[clock_timestamp()], 0)
        on conflict (organization_id, name) do update set (admitted, wait_ms) = (
          select
            case when cardinality(kept) < ${requestsMax}::int then kept || now else kept end,
            case when cardinality(kept) < ${requestsMax}::int then 0
              else 1000 * extract(epoch from kept[cardinality(kept) - ${requestsMax}::int + 1]
                + ${windowMs}::int * interval '1 millisecond' - now) end
          from (
            select clock.now, array(
              select least(at, clock.now)
              from unnest(budget.admitted) with ordinality as each (at, place)
              where at > clock.now - ${windowMs}::int * interval '1 millisecond'
              order by place) as kept
            from (select clock_timestamp() as now offset 0) as clock
          ) as counted)
        returning wait_ms as "waitMs"`,
    ),
  );
  return row?.waitMs ?? 0;
}

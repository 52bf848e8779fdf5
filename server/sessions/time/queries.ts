// How long a session has run, in words of statements.
import { sql, type Statement } from "../../../kernel/sql/statement.ts";

/** Of a session whose process is gone, how long no process has had it: that is no time in which it runs. */
export const unworked: Statement = sql`case when row.lease_until < statement_timestamp()
  then greatest(interval '0', least(statement_timestamp() - row.lease_until, statement_timestamp() - row.active_since))
  else interval '0' end`;

/** Milliseconds, by the database's clock: those of processes differ. `row` is the session, `thread` one of it. */
export function sinceActive(table: "row" | "thread"): Statement {
  const since = table === "row" ? sql`row.active_since` : sql`thread.active_since`;
  return sql`greatest(0, coalesce(extract(epoch from statement_timestamp() - ${since} - ${unworked}) * 1000, 0))::bigint`;
}

// How long a session has run, in words of statements.
import { sql, type Statement } from "../../../kernel/sql/statement.ts";

/** `row` is the session, `thread` one of it. */
type Timed = "row" | "thread";
const sinceOf = (timed: Timed): Statement =>
  timed === "row" ? sql`row.active_since` : sql`thread.active_since`;

/** Of a session whose process is gone, how long no process has had it: that is no time in which it runs. */
export const unworked = (
  timed: Timed,
): Statement => sql`case when row.lease_until < statement_timestamp()
  then greatest(interval '0', least(statement_timestamp() - row.lease_until, statement_timestamp() - ${sinceOf(timed)}))
  else interval '0' end`;

/** Milliseconds, by the database's clock: those of processes differ. */
export const sinceActive = (timed: Timed): Statement =>
  sql`greatest(0, coalesce(extract(epoch from statement_timestamp() - ${sinceOf(timed)} - ${unworked(timed)}) * 1000, 0))::bigint`;

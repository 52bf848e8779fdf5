// How many rows a statement reads, by the database's own word.
import type { Database, Queryable } from "../../kernel/sql/database.ts";
import type { Statement } from "../../kernel/sql/statement.ts";

interface Plan {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

/** Rows that the leaves of a plan have touched: what was thrown away counts too. */
function touched(plan: Plan): number {
  const { Plans = [], "Actual Rows": kept, "Actual Loops": loops } = plan;
  if (Plans.length > 0) return Plans.map(touched).reduce((sum, rows) => sum + rows, 0);
  const gone = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  return (kept + gone) * loops;
}

/** How many rows the statements that `act` sends read. */
export async function rowsRead(
  db: Database,
  act: (on: Queryable) => Promise<unknown>,
): Promise<number> {
  const sent: Statement[] = [];
  await act({ query: (statement) => (sent.push(statement), Promise.resolve([])) });
  let rows = 0;
  for (const { text, values } of sent) {
    const [row] = await db.query<{ "QUERY PLAN": [{ Plan: Plan }] }>({
      text: `explain (analyze, timing off, costs off, format json) ${text}`,
      values,
    });
    rows += row === undefined ? 0 : touched(row["QUERY PLAN"][0].Plan);
  }
  return rows;
}

/** How many blocks of tables and indexes they look at: entries that an index steps over are no rows. */
export async function blocksRead(
  db: Database,
  act: (on: Queryable) => Promise<unknown>,
): Promise<number> {
  const sent: Statement[] = [];
  await act({ query: (statement) => (sent.push(statement), Promise.resolve([])) });
  let blocks = 0;
  for (const { text, values } of sent) {
    const [row] = await db.query<{ "QUERY PLAN": [{ Plan: Blocks }] }>({
      text: `explain (analyze, buffers, timing off, costs off, format json) ${text}`,
      values,
    });
    const plan = row?.["QUERY PLAN"][0].Plan;
    blocks += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
  }
  return blocks;
}

interface Blocks {
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
}

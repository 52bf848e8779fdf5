// Rows that a prepared statement is given, as a table.
import { identifier, joinStatements, sql, type Statement } from "../statement.ts";

type ColumnType =
  | "text"
  | "bigint"
  | "integer"
  | "json"
  | "timestamptz"
  | "double precision"
  | "boolean";

const types = {
  text: sql`text`,
  bigint: sql`bigint`,
  integer: sql`integer`,
  json: sql`json`,
  timestamptz: sql`timestamptz`,
  "double precision": sql`double precision`,
  boolean: sql`boolean`,
} satisfies Record<ColumnType, Statement>;

/**
 * `(…) as name`, with a column for each array, all of one length. The planner sees neither the arrays nor how many rows
 * they have: it keeps one plan, which looks each row up, and makes none anew for each call, which takes as long as the
 * statement does.
 */
export function givenRows(
  name: string,
  columns: Record<string, readonly [ColumnType, readonly unknown[]]>,
): Statement {
  const arrays = Object.values(columns).map(
    ([type, values]) => sql`(select ${values}::${types[type]}[])`,
  );
  const names = joinStatements(Object.keys(columns).map(identifier), ", ");
  const count = Object.values(columns)[0]?.[1].length ?? 0;
  return sql`(select ${names} from unnest(${joinStatements(arrays, ", ")}) as given (${names})
    fetch first (select ${count}::bigint) rows only) as ${identifier(name)}`;
}

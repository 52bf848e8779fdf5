// How payers reach a statement: each once, as arrays by field; an attempt names its payer by number.
import {
  empty,
  identifier,
  joinStatements,
  sql,
  type Statement,
} from "../../../kernel/sql/statement.ts";
import { payerFields, type PayerField } from "./payers.ts";

/** In the order of `payerFields`. */
export const payerColumns = sql`organization_id, workspace_id, credential_id, user_id, model, upstream, kind,
  service_tier, speed, month, inference_geo, prices, day, key_maker, origin, session_id, agent_id,
  deployment_id, environment_id`;

const namesOf = (letter: string, arrays: readonly unknown[]) =>
  arrays.map((_, index) => identifier(`${letter}${index}`));

/**
 * Arrays in a subquery that is not flattened: seeing how long they are, the planner would think each length worth a
 * plan of its own, and planning costs 100 µs a statement.
 */
function given(
  alias: Statement,
  names: readonly Statement[],
  arrays: readonly Statement[],
): Statement {
  const named = arrays.map((array, index) => sql`${array} as ${names[index]}`);
  return sql`(select ${joinStatements(named, ", ")} offset 0) as ${alias}`;
}

const names = namesOf("p", payerFields);

/** One array of texts for each field. */
export const givenPayers = (arrayOf: (field: PayerField) => unknown): Statement =>
  given(
    sql`payers`,
    names,
    payerFields.map((field) => sql`${arrayOf(field)}::text[]`),
  );

/** By column, where it is no text. */
export const payerTypes: Readonly<Record<string, Statement>> = {
  prices: sql`::bigint[]`,
  day: sql`::date`,
};
/** Of a list of columns, as it stands in a statement. */
export const namesIn = (columns: Statement): string[] => columns.text.split(/,\s*/);

const columnNames = namesIn(payerColumns);

/** In the order of their columns, by the number of the payer: PostgreSQL's arrays count from one. */
export const payerValues = (number: Statement): Statement =>
  joinStatements(
    payerFields.map(
      (_, index) =>
        sql`payers.${names[index]}[${number}]${payerTypes[columnNames[index] ?? ""] ?? empty}`,
    ),
    ", ",
  );

// What enters the ledger for a time whose sums are promised: kept beside them until it is summed, too.
import { identifier, joinStatements, sql, type Statement } from "../../../kernel/sql/statement.ts";
import { isLong, measures } from "../sums/queries-facts.ts";

/** What a row of the ledger is summed by, and its organization and time; whether it is of a session comes to it. */
export const factColumns = sql`organization_id, at, workspace_id, credential_id, user_id, model, kind,
  service_tier, speed, inference_geo, prices, key_maker, origin, agent_id, deployment_id,
  environment_id`;

const sums = joinStatements(
  measures.map((measure) => identifier(measure)),
  ", ",
);

/** Of rows that the same statement writes: each is in the ledger and here, or in neither. */
export const notingLate = (rows: Statement): Statement => sql`
  insert into usage_late (${factColumns}, noted_at, is_long, in_session, ${sums})
  select ${factColumns}, clock_timestamp(), ${isLong}, session_id is not null, ${sums}
  from ${rows}
  where at < (select promised from usage_horizon)`;

// Statements about deliveries: each is one event on its way to one endpoint.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { givenRows } from "../../../kernel/sql/rows/given-rows.ts";
import { preparedAs, sql, type Statement } from "../../../kernel/sql/statement.ts";

export interface DeliveryRow {
  id: string;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: string;
  is_test: boolean;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  created_at: Date;
  attempted_at: Date | null;
  next_attempt_at: Date | null;
  status_code: number | null;
  error: string | null;
}

const columns: Statement = sql`
  id, organization_id, endpoint_id, event_id, event_type, is_test, state, attempts, created_at, attempted_at,
  next_attempt_at, status_code, error`;

export interface NewDelivery {
  id: string;
  organizationId: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  isTest: boolean;
  body: string;
  at: Date;
}

/** In the order of their ids. */
export async function insertDeliveries(
  tx: Tx,
  rows: readonly NewDelivery[],
): Promise<DeliveryRow[]> {
  const column = <Key extends keyof NewDelivery>(key: Key) => rows.map((row) => row[key]);
  const inserted = await tx.query<DeliveryRow>(
    preparedAs(
      "webhooks_insert_deliveries",
      sql`
        insert into webhook_deliveries
          (id, organization_id, endpoint_id, event_id, event_type, is_test, body, state, created_at,
           next_attempt_at)
        select id, organization_id, endpoint_id, event_id, event_type, is_test, body, 'waiting', at, at
        from ${givenRows("given_delivery", {
          id: ["text", column("id")],
          organization_id: ["text", column("organizationId")],
          endpoint_id: ["text", column("endpointId")],
          event_id: ["text", column("eventId")],
          event_type: ["text", column("eventType")],
          is_test: ["boolean", column("isTest")],
          body: ["text", column("body")],
          at: ["timestamptz", column("at")],
        })}
        returning ${columns}`,
    ),
  );
  return inserted.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Newest first. */
export function listDeliveries(
  queries: Queryable,
  organizationId: string,
  endpointId: string,
  rows: number,
): Promise<DeliveryRow[]> {
  return queries.query<DeliveryRow>(sql`
    select ${columns} from webhook_deliveries
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
    order by id desc
    limit ${rows}`);
}

export async function countWaitingTests(
  tx: Tx,
  organizationId: string,
  endpointId: string,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::integer as count from webhook_deliveries
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and state = 'waiting' and is_test`);
  return row?.count ?? 0;
}

export interface DueRow extends DeliveryRow {
  workspace_id: string | null;
  body: string;
  url: string;
  signing_secret: string;
}

/** With what its endpoint says; undefined where that is disabled or gone, or its workspace is archived. */
export async function findDue(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<DueRow | undefined> {
  const [row] = await queries.query<DueRow>(sql`
    select d.id, d.organization_id, d.endpoint_id, d.event_id, d.event_type, d.is_test, d.state, d.attempts,
           d.created_at, d.attempted_at, d.next_attempt_at, d.status_code, d.error, d.body,
           e.workspace_id, e.url, e.signing_secret
    from webhook_deliveries d
    join webhook_endpoints e on e.id = d.endpoint_id
    where d.organization_id = ${organizationId} and d.id = ${id} and e.state = 'enabled'
      and not exists (
        select from workspaces w where w.id = e.workspace_id and w.archived_at is not null)`);
  return row;
}

export interface AttemptResult {
  state: DeliveryRow["state"];
  at: Date;
  nextAttemptAt: Date | null;
  statusCode: number | null;
  error: string | null;
}

/** False where another runner has written this attempt down. */
export async function noteAttempt(
  tx: Tx,
  organizationId: string,
  { id, attempts }: Pick<DeliveryRow, "id" | "attempts">,
  result: AttemptResult,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update webhook_deliveries
    set state = ${result.state}, attempts = attempts + 1, attempted_at = ${result.at},
        next_attempt_at = ${result.nextAttemptAt}, status_code = ${result.statusCode},
        error = ${result.error}
    where organization_id = ${organizationId} and id = ${id} and state = 'waiting'
      and attempts = ${attempts}
    returning id`);
  return rows.length > 0;
}

/** What waits stands still until its endpoint is enabled again. */
export async function pauseWaiting(
  tx: Tx,
  organizationId: string,
  endpointId: string,
): Promise<void> {
  await tx.query(sql`
    update webhook_deliveries set next_attempt_at = null
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and state = 'waiting'`);
}

export function resumeWaiting(
  tx: Tx,
  organizationId: string,
  endpointId: string,
  at: Date,
): Promise<Pick<DeliveryRow, "id" | "organization_id" | "attempts">[]> {
  return tx.query(sql`
    update webhook_deliveries set next_attempt_at = ${at}
    where organization_id = ${organizationId} and endpoint_id = ${endpointId}
      and state = 'waiting'
    returning id, organization_id, attempts`);
}

/** Of every organization: how many there were. */
export async function deleteOldDeliveries(tx: Tx, before: Date, rows: number): Promise<number> {
  const deleted = await tx.query(sql`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_at < ${before}
       order by created_at limit ${rows})
    returning id`);
  return deleted.length;
}

// Statements about webhook endpoints.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import type { EventType } from "./schema.ts";

export interface EndpointRow {
  id: string;
  organization_id: string;
  name: string;
  description: string;
  url: string;
  enabled_events: EventType[];
  state: "enabled" | "disabled";
  disabled_reason: string;
  signing_secret: string;
  created_at: Date;
  updated_at: Date;
}

const columns: Statement = sql`
  id, organization_id, name, description, url, enabled_events, state, disabled_reason,
  signing_secret, created_at, updated_at`;

/** Of two requests that make the last endpoint allowed, the second waits, and counts. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

export async function countEndpoints(queries: Queryable, organizationId: string): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*)::integer as count from webhook_endpoints
    where organization_id = ${organizationId}`);
  return row?.count ?? 0;
}

export async function insertEndpoint(
  tx: Tx,
  organizationId: string,
  row: Omit<EndpointRow, "organization_id">,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_endpoints
      (id, organization_id, name, description, url, enabled_events, state, disabled_reason,
       signing_secret, created_at, updated_at)
    values
      (${row.id}, ${organizationId}, ${row.name}, ${row.description}, ${row.url},
       ${row.enabled_events}, ${row.state}, ${row.disabled_reason}, ${row.signing_secret},
       ${row.created_at}, ${row.updated_at})`);
}

export async function findEndpoint(
  queries: Queryable,
  organizationId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await queries.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where organization_id = ${organizationId} and id = ${id}`);
  return row;
}

export async function lockEndpoint(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await tx.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where organization_id = ${organizationId} and id = ${id}
    for update`);
  return row;
}

export interface EndpointWindow {
  /** The id that the page begins behind, in the direction that is walked. */
  from: string | null;
  descending: boolean;
  rows: number;
}

export function listEndpoints(
  queries: Queryable,
  organizationId: string,
  { from, descending, rows }: EndpointWindow,
): Promise<EndpointRow[]> {
  const behind = descending ? sql`id < ${from}` : sql`id > ${from}`;
  return queries.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where organization_id = ${organizationId} and (${from}::text is null or ${behind})
    order by ${descending ? sql`id desc` : sql`id asc`}
    limit ${rows}`);
}

/** Shared until the transaction ends: none of them is disabled in between. */
export function listWanting(
  tx: Tx,
  organizationId: string,
  type: EventType,
): Promise<Pick<EndpointRow, "id">[]> {
  return tx.query<Pick<EndpointRow, "id">>(sql`
    select id from webhook_endpoints
    where organization_id = ${organizationId} and state = 'enabled'
      and ${type} = any(enabled_events)
    order by id
    for share`);
}

export type EndpointChange = Pick<
  EndpointRow,
  "name" | "description" | "url" | "enabled_events" | "state" | "disabled_reason"
>;

export async function updateEndpoint(
  tx: Tx,
  organizationId: string,
  id: string,
  row: EndpointChange & { at: Date },
): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints
    set name = ${row.name}, description = ${row.description}, url = ${row.url},
        enabled_events = ${row.enabled_events}, state = ${row.state},
        disabled_reason = ${row.disabled_reason}, updated_at = ${row.at}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function setSecret(
  tx: Tx,
  organizationId: string,
  id: string,
  { encrypted, at }: { encrypted: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints set signing_secret = ${encrypted}, updated_at = ${at}
    where organization_id = ${organizationId} and id = ${id}`);
}

export async function deleteEndpoint(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from webhook_endpoints where organization_id = ${organizationId} and id = ${id}`);
}

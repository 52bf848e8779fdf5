// Statements about webhook endpoints.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { givenRows } from "../../kernel/sql/rows/given-rows.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";
import type { AnyEventType, EventType, WorkspaceEventType } from "./event-types.ts";

export interface EndpointRow {
  id: string;
  organization_id: string;
  /** Null of one that is the organization's own. */
  workspace_id: string | null;
  name: string;
  description: string;
  url: string;
  enabled_events: AnyEventType[];
  state: "enabled" | "disabled";
  disabled_reason: string;
  signing_secret: string;
  /** Up to which event of the audit log it was told; null of one that is not told of them. */
  audit_sequence: number | null;
  created_at: Date;
  updated_at: Date;
}

const columns: Statement = sql`
  id, organization_id, workspace_id, name, description, url, enabled_events, state,
  disabled_reason, signing_secret, audit_sequence, created_at, updated_at`;

/** Whose an endpoint is: the organization's own, or one of its workspaces'. */
export interface Owner {
  organizationId: string;
  workspaceId: string | null;
}

const isOf = ({ organizationId, workspaceId }: Owner): Statement =>
  workspaceId === null
    ? sql`organization_id = ${organizationId} and workspace_id is null`
    : sql`organization_id = ${organizationId} and workspace_id = ${workspaceId}`;

/** Of two requests that make the last endpoint allowed, the second waits, and counts. */
export async function lockOrganization(tx: Tx, organizationId: string): Promise<void> {
  await tx.query(sql`
    select id from organizations where id = ${organizationId} for no key update`);
}

export async function countEndpoints(queries: Queryable, owner: Owner): Promise<number> {
  const [row] = await queries.query<{ count: number }>(sql`
    select count(*)::integer as count from webhook_endpoints where ${isOf(owner)}`);
  return row?.count ?? 0;
}

export async function insertEndpoint(
  tx: Tx,
  { organizationId, workspaceId }: Owner,
  row: Omit<EndpointRow, "organization_id" | "workspace_id">,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_endpoints
      (id, organization_id, workspace_id, name, description, url, enabled_events, state,
       disabled_reason, signing_secret, audit_sequence, created_at, updated_at)
    values
      (${row.id}, ${organizationId}, ${workspaceId}, ${row.name}, ${row.description}, ${row.url},
       ${row.enabled_events}, ${row.state}, ${row.disabled_reason}, ${row.signing_secret},
       ${row.audit_sequence}, ${row.created_at}, ${row.updated_at})`);
}

export async function findEndpoint(
  queries: Queryable,
  owner: Owner,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await queries.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where ${isOf(owner)} and id = ${id}`);
  return row;
}

export async function lockEndpoint(
  tx: Tx,
  owner: Owner,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await tx.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where ${isOf(owner)} and id = ${id}
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
  owner: Owner,
  { from, descending, rows }: EndpointWindow,
): Promise<EndpointRow[]> {
  const behind = descending ? sql`id < ${from}` : sql`id > ${from}`;
  return queries.query<EndpointRow>(sql`
    select ${columns} from webhook_endpoints
    where ${isOf(owner)} and (${from}::text is null or ${behind})
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
    where organization_id = ${organizationId} and workspace_id is null and state = 'enabled'
      and ${type} = any(enabled_events)
    order by id
    for share`);
}

/** The same of several organizations; of each that wants one of the types. */
export function listWantingOf(
  tx: Tx,
  { organizationIds, types }: { organizationIds: readonly string[]; types: readonly EventType[] },
): Promise<WantingEndpoint[]> {
  return tx.query<WantingEndpoint>(sql`
    select id, organization_id, workspace_id, enabled_events from webhook_endpoints
    where organization_id = any(${organizationIds}::text[]) and workspace_id is null
      and state = 'enabled' and enabled_events && ${types}::text[]
    order by id
    for share`);
}

export type WantingEndpoint = Pick<
  EndpointRow,
  "id" | "organization_id" | "workspace_id" | "enabled_events"
>;

/** The same of workspaces that are not archived; of each that wants one of the types. */
export function listWantingIn(
  tx: Tx,
  {
    workspaceIds,
    types,
  }: { workspaceIds: readonly string[]; types: readonly WorkspaceEventType[] },
): Promise<WantingEndpoint[]> {
  return tx.query<WantingEndpoint>(
    preparedAs(
      "webhooks_wanting_in_workspaces",
      sql`
        select e.id, e.organization_id, e.workspace_id, e.enabled_events
        from webhook_endpoints e
        join ${givenRows("asked", { workspace_id: ["text", workspaceIds] })}
          on asked.workspace_id = e.workspace_id
        where e.workspace_id is not null and e.state = 'enabled'
          and e.enabled_events && ${types}::text[]
          and not exists (
            select from workspaces w where w.id = e.workspace_id and w.archived_at is not null)
        order by e.id
        for share of e`,
    ),
  );
}

export type EndpointChange = Pick<
  EndpointRow,
  "name" | "description" | "url" | "enabled_events" | "state" | "disabled_reason" | "audit_sequence"
>;

export async function updateEndpoint(
  tx: Tx,
  owner: Owner,
  id: string,
  row: EndpointChange & { at: Date },
): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints
    set name = ${row.name}, description = ${row.description}, url = ${row.url},
        enabled_events = ${row.enabled_events}, state = ${row.state},
        disabled_reason = ${row.disabled_reason}, audit_sequence = ${row.audit_sequence},
        updated_at = ${row.at}
    where ${isOf(owner)} and id = ${id}`);
}

export async function setSecret(
  tx: Tx,
  owner: Owner,
  id: string,
  { encrypted, at, replacedUntil }: { encrypted: string; at: Date; replacedUntil: Date },
): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints
    set replaced_secret = signing_secret, replaced_secret_until = ${replacedUntil},
        signing_secret = ${encrypted}, updated_at = ${at}
    where ${isOf(owner)} and id = ${id}`);
}

export async function deleteEndpoint(tx: Tx, owner: Owner, id: string): Promise<void> {
  await tx.query(sql`
    delete from webhook_endpoints where ${isOf(owner)} and id = ${id}`);
}

export type ToldEndpoint = Pick<EndpointRow, "id" | "organization_id" | "audit_sequence">;

/** Of all organizations: whose audit log has grown since they were told. */
export function listBehindAudit(queries: Queryable, rows: number): Promise<ToldEndpoint[]> {
  return queries.query<ToldEndpoint>(
    preparedAs(
      "webhooks_behind_audit",
      sql`
        select e.id, e.organization_id, e.audit_sequence
        from webhook_endpoints e join audit_heads h on h.organization_id = e.organization_id
        where e.audit_sequence is not null and e.state = 'enabled' and h.seq > e.audit_sequence
        order by e.id limit ${rows}`,
    ),
  );
}

/** Undefined where another transaction has it, or it is told no more. */
export async function lockToldOfAudit(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<ToldEndpoint | undefined> {
  const [row] = await tx.query<ToldEndpoint>(sql`
    select id, organization_id, audit_sequence from webhook_endpoints
    where organization_id = ${organizationId} and id = ${id} and state = 'enabled'
      and audit_sequence is not null
    for no key update skip locked`);
  return row;
}

export async function setAuditSequence(
  tx: Tx,
  organizationId: string,
  id: string,
  sequence: number,
): Promise<void> {
  await tx.query(sql`
    update webhook_endpoints set audit_sequence = ${sequence}
    where organization_id = ${organizationId} and id = ${id}`);
}

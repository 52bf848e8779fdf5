// Webhook endpoints: addresses that an organization, or one of its workspaces, wants to be told of events at.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context, World } from "../../kernel/context.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import { outsideProblem } from "../../kernel/http/outside/fetch.ts";
import { idWindow, toIdPage } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import { auditSequenceAfter, expectAuditReader } from "./audit-events.ts";
import { pauseDeliveries, resumeDeliveries } from "./deliveries/deliver.ts";
import { eventTypes, workspaceEventTypes, type AnyEventType } from "./event-types.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { EndpointRow, Owner } from "./queries.ts";
import type {
  CreateEndpoint,
  Endpoint,
  EndpointQuery,
  NewEndpoint,
  UpdateEndpoint,
} from "./schema.ts";
import { newSigningSecret } from "./deliveries/signature.ts";

const noun = "webhook endpoint";

const recordEndpointEvent = (
  tx: Tx,
  context: Context,
  what: string,
  row: AuditedEndpoint,
  details = {},
) =>
  audit.recordByCaller(tx, context, {
    action: `webhook_endpoint.${what}`,
    target: { type: "webhook_endpoint", id: row.id },
    // An address may hold a secret in its path or behind a question mark: the host alone is written down.
    details: { name: row.name, host: new URL(row.url).host, ...details },
  });
type AuditedEndpoint = Pick<EndpointRow, "id" | "name" | "url">;

/** Rules WHK1 to WHK3. */
export async function createEndpoint(
  context: Context,
  owner: Owner,
  input: CreateEndpoint,
): Promise<NewEndpoint> {
  const { organizationId, workspaceId } = owner;
  expectUrl(context, input.url);
  const types = inOrder(owner, input.enabled_events);
  expectAuditReader(context, types);
  const id = context.ids.next("whep_");
  const { secret, encrypted } = newSigningSecret(context, id);
  const at = context.clock.now();
  const row = {
    id,
    organization_id: organizationId,
    workspace_id: workspaceId,
    name: nameOf(input.name ?? ""),
    description: input.description?.trim() ?? "",
    url: input.url,
    enabled_events: types,
    state: "enabled" as const,
    disabled_reason: "",
    signing_secret: encrypted,
    created_at: at,
    updated_at: at,
  };
  await context.db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const count = await queries.countEndpoints(tx, owner);
    const [whose, most] =
      workspaceId === null
        ? ["organization", limits.endpointsPerOrganizationMax]
        : ["workspace", limits.endpointsPerWorkspaceMax];
    if (count >= most)
      throw invalid(
        `The ${whose} has ${count} webhook endpoints, the most there may be. Delete one first.`,
      );
    const audit_sequence = await auditSequenceAfter(tx, context, null, row);
    await queries.insertEndpoint(tx, owner, { ...row, audit_sequence });
    await recordEndpointEvent(tx, context, "created", row, { enabled_events: row.enabled_events });
  });
  return { ...toEndpoint(row), signing_secret: secret };
}

/** Rule WHK2: what is known to be wrong before anything is sent there. */
function expectUrl(world: World, url: string): void {
  const problem = outsideProblem(world, url);
  if (problem !== undefined) throw invalid(`url: ${problem.message}`);
}

const nameOf = (text: string) =>
  text.trim() === "" ? "" : cleanName("name", text, limits.nameCharactersMax);

/** Each once, in the order of the documents. */
const inOrder = ({ workspaceId }: Owner, wanted: readonly string[]): AnyEventType[] =>
  (workspaceId === null ? eventTypes : workspaceEventTypes).filter((type) => wanted.includes(type));

/** Rule WHK4. */
export async function updateEndpoint(
  context: Context,
  owner: Owner,
  id: string,
  body: UpdateEndpoint,
): Promise<Endpoint> {
  const { organizationId } = owner;
  return context.db.tx(async (tx) => {
    const row = await lockOr404(tx, owner, id);
    const { disabled_reason: reason = row.disabled_reason, ...change } = withoutTold(id, body);
    if (reason !== row.disabled_reason)
      throw invalid("disabled_reason: is said by the server alone; leave it out.");
    if (change.url !== undefined && change.url !== row.url) expectUrl(context, change.url);
    const next = changed(owner, row, change);
    expectAuditReader(context, row.enabled_events, next.enabled_events);
    const fields = (Object.keys(change) as (keyof typeof change)[]).filter(
      (field) => JSON.stringify(row[field]) !== JSON.stringify(next[field]),
    );
    if (fields.length === 0) return toEndpoint(row);
    const at = context.clock.now();
    const audit_sequence = await auditSequenceAfter(tx, context, row, next);
    await queries.updateEndpoint(tx, owner, id, { ...next, audit_sequence, at });
    const turned = fields.includes("state");
    if (turned && next.state === "disabled") await pauseDeliveries(tx, organizationId, id);
    if (turned && next.state === "enabled") await resumeDeliveries(tx, context, organizationId, id);
    await recordEndpointEvent(tx, context, turned ? next.state : "updated", next, { fields });
    return toEndpoint({ ...next, updated_at: at });
  });
}

function changed(owner: Owner, row: EndpointRow, change: UpdateEndpoint): EndpointRow {
  const wanted = inOrder(owner, change.enabled_events ?? []);
  const state = change.state ?? row.state;
  return {
    ...row,
    name: change.name === undefined ? row.name : nameOf(change.name),
    description: change.description === undefined ? row.description : change.description.trim(),
    url: change.url ?? row.url,
    enabled_events: wanted.length === 0 ? row.enabled_events : wanted,
    state,
    disabled_reason: state === "enabled" ? "" : row.disabled_reason,
  };
}

export async function deleteEndpoint(context: Context, owner: Owner, id: string) {
  await context.db.tx(async (tx) => {
    const row = await lockOr404(tx, owner, id);
    expectAuditReader(context, row.enabled_events);
    await queries.deleteEndpoint(tx, owner, id);
    await recordEndpointEvent(tx, context, "deleted", row);
  });
  return { id, type: "webhook_endpoint_deleted" as const };
}

/** Rule WHK5. */
export async function regenerateSecret(context: Context, owner: Owner, id: string) {
  const { secret, encrypted } = newSigningSecret(context, id);
  await context.db.tx(async (tx) => {
    const row = await lockOr404(tx, owner, id);
    expectAuditReader(context, row.enabled_events);
    const at = context.clock.now();
    const replacedUntil = new Date(at.getTime() + limits.replacedSecretMs);
    await queries.setSecret(tx, owner, id, { encrypted, at, replacedUntil });
    await recordEndpointEvent(tx, context, "signing_secret_regenerated", row);
  });
  return { signing_secret: secret };
}

export const retrieveEndpoint = async (
  { db }: Context,
  owner: Owner,
  id: string,
): Promise<Endpoint> => toEndpoint(await endpointOr404(db, owner, id));

export async function listEndpoints({ db }: Context, owner: Owner, query: EndpointQuery) {
  const window = idWindow(query, { itemsMax: limits.pageItemsMax, beyond: "refuse" });
  const from = window.after ?? window.before ?? null;
  if (from !== null && (await queries.findEndpoint(db, owner, from)) === undefined)
    throw invalid(
      `${window.after === undefined ? "before_id" : "after_id"}: is not the id of a webhook endpoint of this list.`,
    );
  const isDescending = (query.order ?? "desc") === "desc";
  const rows = await queries.listEndpoints(db, owner, {
    from,
    descending: isDescending === (window.before === undefined),
    rows: window.rows,
  });
  return toIdPage(rows.map(toEndpoint), window);
}

export async function endpointOr404(
  from: Queryable,
  owner: Owner,
  id: string,
): Promise<EndpointRow> {
  const row = await queries.findEndpoint(from, owner, id);
  if (row === undefined) throw notFound(noun, id);
  return row;
}

async function lockOr404(tx: Tx, owner: Owner, id: string): Promise<EndpointRow> {
  const row = await queries.lockEndpoint(tx, owner, id);
  if (row === undefined) throw notFound(noun, id);
  return row;
}

const toEndpoint = (row: Omit<EndpointRow, "audit_sequence">): Endpoint => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  description: row.description,
  disabled_reason: row.disabled_reason,
  enabled_events: row.enabled_events,
  name: row.name,
  state: row.state,
  updated_at: row.updated_at.toISOString(),
  url: row.url,
});

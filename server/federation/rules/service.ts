// Rules: which tokens of an issuer are exchanged for one of this server, and for which service account.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as workspaces from "../../workspaces/module.ts";
import {
  actingId,
  toChangeStamps,
  cleanDescription,
  expectConsole,
  expectBelowLimit,
  archivedFailure,
  nameTakenFailure,
  auditRecorderFor,
} from "../common.ts";
import { expectCondition } from "./condition.ts";
import { limits } from "../limits.ts";
import { lockAccount } from "../accounts/queries.ts";
import { lockIssuer, type IssuerRow } from "../issuers/queries.ts";
import * as queries from "./queries.ts";
import type { CreateRule, Match, Rule, RuleQuery, UpdateRule } from "../schema.ts";
import { needsWorkspace, readScopes, workspaceScopesAlone } from "./scopes.ts";
import { expectTenant } from "../issuers/shared-issuers.ts";

const noun = "federation rule";

export async function createRule(context: Context, input: CreateRule): Promise<Rule> {
  const { organizationId } = context.who;
  expectNoAttributes(input.attributes);
  const scopes = readScopes(input.oauth_scope);
  expectMayManage(context, scopes);
  const match = readMatch(input.match);
  const { name, issuer_id, workspace_id = null, applies_to_all_workspaces = false } = input;
  if (workspace_id === null && !applies_to_all_workspaces && needsWorkspace(scopes))
    throw invalid(
      "workspace_id: name the workspace that the rule is enabled for, or send applies_to_all_workspaces: true.",
    );
  return context.db.tx(async (tx) => {
    const issuer = await liveIssuer(tx, organizationId, issuer_id);
    expectTenant(issuer.issuer_url, match);
    const { service_account_id } = input.target;
    await expectTarget(tx, organizationId, service_account_id, scopes);
    expectBelowLimit(
      noun,
      await queries.countRules(tx, organizationId),
      limits.rulesPerOrganizationMax,
    );
    const id = context.ids.next("fdrl_");
    const act = { at: context.clock.now(), by: actingId(context) };
    const facts = {
      name,
      description: cleanDescription(input.description),
      match,
      service_account_id,
      scopes,
      token_lifetime_seconds: input.token_lifetime_seconds ?? limits.tokenLifetimeSeconds,
      applies_to_all_workspaces,
    };
    if (!(await queries.insertRule(tx, organizationId, { ...facts, ...act, id, issuer_id })))
      throw nameTakenFailure(noun, name);
    if (workspace_id !== null) await enableInWorkspace(tx, context, id, workspace_id);
    await recordRuleEvent(tx, context, "created", id, { ...facts, issuer_id, workspace_id });
    return toRule(await ruleOr404(tx, organizationId, id));
  });
}

function expectNoAttributes(attributes: CreateRule["attributes"]): void {
  if (attributes !== undefined && attributes !== null && Object.keys(attributes).length > 0)
    throw invalid("attributes: is not supported; leave it out.");
}

/** Rule FED11. */
export function expectMayManage(context: Context, scopes: readonly string[]): void {
  if (!workspaceScopesAlone(scopes))
    expectConsole(
      context,
      "A rule with another scope than workspace:developer and workspace:inference",
    );
}

/** Rule FED8: given fields only, each of them valid. */
function readMatch({ subject_prefix, claims, condition, audience }: Match): Match {
  const given: Match = {
    ...(subject_prefix && { subject_prefix }),
    ...(claims && Object.keys(claims).length > 0 && { claims }),
    ...(condition && { condition }),
    ...(audience && { audience }),
  };
  if (given.subject_prefix !== undefined && /^\*+$/.test(given.subject_prefix ?? ""))
    throw invalid("match.subject_prefix: * alone is every subject. Say how it begins.");
  if (given.subject_prefix === undefined && !given.claims && !given.condition)
    throw invalid(
      "match: give at least one of subject_prefix, claims and condition; an audience alone is everybody's.",
    );
  if (given.condition) expectCondition(given.condition);
  return given;
}

/** Rule FED13: an object that a body names and that does not exist is the body's error. */
async function liveIssuer(tx: Tx, organizationId: string, id: string): Promise<IssuerRow> {
  const issuer = await lockIssuer(tx, organizationId, id);
  if (issuer === undefined) throw invalid(`issuer_id: there is no federation issuer ${id}.`);
  if (issuer.archived_at !== null)
    throw invalid(`issuer_id: the federation issuer ${id} is archived.`);
  return issuer;
}

async function expectTarget(
  tx: Tx,
  organizationId: string,
  id: string,
  scopes: readonly string[],
): Promise<void> {
  const account = await lockAccount(tx, organizationId, id);
  if (account === undefined)
    throw invalid(`target.service_account_id: there is no service account ${id}.`);
  if (account.archived_at !== null)
    throw invalid(`target.service_account_id: the service account ${id} is archived.`);
  if (scopes.includes("org:admin") && account.organization_role !== "admin")
    throw invalid(
      `target.service_account_id: the scope org:admin asks for an account with the role admin, and ${account.name} is a developer.`,
    );
}

/** Rule FED13, and nothing archived. */
export async function enableInWorkspace(
  tx: Tx,
  context: Context,
  ruleId: string,
  workspaceId: string,
): Promise<boolean> {
  const { organizationId } = context.who;
  if ((await workspaces.findWorkspace(tx, organizationId, workspaceId)) === undefined)
    throw invalid(`workspace_id: there is no workspace ${workspaceId}.`);
  await workspaces.lockOpenWorkspace(tx, organizationId, workspaceId);
  const act = { at: context.clock.now(), by: actingId(context) };
  return queries.enableWorkspace(tx, organizationId, { ruleId, workspaceId, ...act });
}

export const recordRuleEvent = auditRecorderFor("federation_rule");

export async function updateRule(context: Context, id: string, change: UpdateRule): Promise<Rule> {
  const { organizationId } = context.who;
  expectNoAttributes(change.attributes);
  return context.db.tx(async (tx) => {
    const row = await lockLiveRule(tx, organizationId, id);
    expectMayManage(context, row.scopes);
    const next = await changed(tx, context, row, change);
    const issuer = await liveIssuer(tx, organizationId, row.issuer_id);
    expectTenant(issuer.issuer_url, next.match);
    await expectTarget(tx, organizationId, next.service_account_id, next.scopes);
    if (await queries.isRuleNameTaken(tx, organizationId, { id, name: next.name }))
      throw nameTakenFailure(noun, next.name);
    const workspaceIds = await moveWorkspace(tx, context, row, change);
    if (!next.applies_to_all_workspaces && workspaceIds.length === 0 && needsWorkspace(next.scopes))
      throw invalid(
        "applies_to_all_workspaces: without it the rule would be enabled nowhere. Send workspace_id, or add workspaces first.",
      );
    const act = { at: context.clock.now(), by: actingId(context) };
    await queries.updateRule(tx, organizationId, id, { ...next, ...act });
    await recordRuleEvent(tx, context, "updated", id, { ...next, workspace_ids: workspaceIds });
    return toRule(await ruleOr404(tx, organizationId, id));
  });
}

async function changed(
  tx: Tx,
  context: Context,
  row: queries.RuleRow,
  change: UpdateRule,
): Promise<queries.RuleFields> {
  const scopes = change.oauth_scope ? readScopes(change.oauth_scope) : row.scopes;
  expectMayManage(context, scopes);
  const { description } = change;
  return {
    name: change.name ?? row.name,
    description: description === undefined ? row.description : cleanDescription(description),
    match: change.match ? readMatch(change.match) : row.match,
    service_account_id: change.target?.service_account_id ?? row.service_account_id,
    scopes,
    token_lifetime_seconds: change.token_lifetime_seconds ?? row.token_lifetime_seconds,
    applies_to_all_workspaces: change.applies_to_all_workspaces ?? row.applies_to_all_workspaces,
  };
}

/** A rule of one workspace moves to another; with several, each is changed on its own route. */
async function moveWorkspace(
  tx: Tx,
  context: Context,
  { id, workspace_ids }: queries.RuleRow,
  { workspace_id }: UpdateRule,
): Promise<string[]> {
  if (!workspace_id || (workspace_ids.length === 1 && workspace_ids[0] === workspace_id))
    return workspace_ids;
  if (workspace_ids.length > 1)
    throw invalid(
      `workspace_id: the rule is enabled for ${workspace_ids.length} workspaces; add and remove them at /v1/organizations/federation_rules/${id}/workspaces.`,
    );
  const [before] = workspace_ids;
  if (before !== undefined)
    await queries.disableWorkspace(tx, context.who.organizationId, id, before);
  await enableInWorkspace(tx, context, id, workspace_id);
  return [workspace_id];
}

/** Rule FED12. */
export async function archiveRule(context: Context, id: string): Promise<Rule> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const row = await queries.lockRule(tx, organizationId, id);
    if (row === undefined) throw notFound(noun, id);
    expectMayManage(context, row.scopes);
    if (row.archived_at !== null) return toRule(row);
    const act = { at: context.clock.now(), by: actingId(context) };
    await queries.archiveRule(tx, organizationId, id, act);
    await recordRuleEvent(tx, context, "archived", id, { name: row.name });
    return toRule(await ruleOr404(tx, organizationId, id));
  });
}

export async function retrieveRule({ db, who }: Context, id: string): Promise<Rule> {
  return toRule(await ruleOr404(db, who.organizationId, id));
}

export async function listRules({ db, secrets, who }: Context, query: RuleQuery) {
  const cursors = makeCursors(secrets);
  const { organizationId } = who;
  const list = `federation_rules ${query.issuer_id ?? ""}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit, { itemsMax: 1000 });
  const rows = await queries.listRules(db, organizationId, {
    after: after ?? null,
    issuerId: query.issuer_id ?? null,
    withArchived: query.include_archived ?? false,
    rows: size + 1,
  });
  return toCursorPage(rows.map(toRule), size, (last) =>
    cursors.write(list, organizationId, last.id),
  );
}

export async function ruleOr404(
  from: Parameters<typeof queries.findRule>[0],
  organizationId: string,
  id: string,
): Promise<queries.RuleRow> {
  const row = await queries.findRule(from, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  return row;
}

export async function lockLiveRule(
  tx: Tx,
  organizationId: string,
  id: string,
): Promise<queries.RuleRow> {
  const row = await queries.lockRule(tx, organizationId, id);
  if (row === undefined) throw notFound(noun, id);
  if (row.archived_at !== null) throw archivedFailure(noun, id);
  return row;
}

const toRule = (row: queries.RuleRow): Rule => ({
  id: row.id,
  type: "federation_rule",
  name: row.name,
  description: row.description,
  issuer_id: row.issuer_id,
  issuer_name: row.issuer_name,
  match: {
    subject_prefix: row.match.subject_prefix ?? null,
    claims: row.match.claims ?? null,
    condition: row.match.condition ?? null,
    audience: row.match.audience ?? null,
  },
  target: {
    type: "service_account",
    service_account_id: row.service_account_id,
    service_account_name: row.service_account_name,
  },
  oauth_scope: row.scopes.join(" "),
  token_lifetime_seconds: row.token_lifetime_seconds,
  applies_to_all_workspaces: row.applies_to_all_workspaces,
  workspace_ids: row.workspace_ids,
  workspace_id: row.workspace_ids.length === 1 ? (row.workspace_ids[0] ?? null) : null,
  attributes: null,
  ...toChangeStamps(row),
});

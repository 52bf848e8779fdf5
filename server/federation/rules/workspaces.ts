// The workspaces that a rule is enabled for.
import assert from "node:assert/strict";
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import * as workspaces from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import {
  enableInWorkspace,
  expectMayManage,
  lockLiveRule,
  recordRuleEvent,
  ruleOr404,
} from "./service.ts";
import type { PageQuery } from "../accounts/schema.ts";
import type { RuleWorkspace } from "../schema.ts";
import { needsWorkspace } from "./scopes.ts";

/** All of them on one page, unless a limit asks for fewer. */
export async function listRuleWorkspaces(context: Context, ruleId: string, query: PageQuery) {
  const { db, secrets, who } = context;
  const { organizationId } = who;
  const cursors = makeCursors(secrets);
  const list = `federation_rule_workspaces ${ruleId}`;
  const after = cursors.read(list, organizationId, query.page) as string | undefined;
  await ruleOr404(db, organizationId, ruleId);
  const most = limits.workspacesPerRuleMax;
  const size = pageSize(query.limit, { itemsDefault: most, itemsMax: most });
  const rows = await queries.listWorkspaces(db, organizationId, ruleId, {
    after: after ?? null,
    rows: size + 1,
  });
  const entries = rows.map((row) => toEntry(ruleId, row, row.workspace_name));
  return toCursorPage(entries, size, (last) =>
    cursors.write(list, organizationId, last.workspace_id),
  );
}

export async function addRuleWorkspace(
  context: Context,
  ruleId: string,
  workspaceId: string,
): Promise<RuleWorkspace> {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const rule = await lockLiveRule(tx, organizationId, ruleId);
    expectMayManage(context, rule.scopes);
    if (rule.workspace_ids.length >= limits.workspacesPerRuleMax)
      throw invalid(`The rule is enabled for ${rule.workspace_ids.length} workspaces, the most.`);
    if (await enableInWorkspace(tx, context, ruleId, workspaceId))
      await recordRuleEvent(tx, context, "workspace_added", ruleId, { workspace_id: workspaceId });
    const all = { after: null, rows: limits.workspacesPerRuleMax };
    const rows = await queries.listWorkspaces(tx, organizationId, ruleId, all);
    const row = rows.find(({ workspace_id }) => workspace_id === workspaceId);
    assert(row !== undefined, `workspace ${workspaceId} was added and is not there`);
    return toEntry(ruleId, row, null);
  });
}

export async function removeRuleWorkspace(context: Context, ruleId: string, workspaceId: string) {
  const { organizationId } = context.who;
  return context.db.tx(async (tx) => {
    const rule = await lockLiveRule(tx, organizationId, ruleId);
    expectMayManage(context, rule.scopes);
    if ((await workspaces.findWorkspace(tx, organizationId, workspaceId)) === undefined)
      throw notFound("workspace", workspaceId);
    const [only, other] = rule.workspace_ids;
    if (
      only === workspaceId &&
      other === undefined &&
      !rule.applies_to_all_workspaces &&
      needsWorkspace(rule.scopes)
    )
      throw invalid(
        "The rule is enabled for no other workspace: add one first, or archive the rule.",
      );
    if (await queries.disableWorkspace(tx, organizationId, ruleId, workspaceId))
      await recordRuleEvent(tx, context, "workspace_removed", ruleId, {
        workspace_id: workspaceId,
      });
    return {
      type: "federation_rule_workspace_deleted" as const,
      federation_rule_id: ruleId,
      workspace_id: workspaceId,
    };
  });
}

const toEntry = (
  ruleId: string,
  row: queries.RuleWorkspaceRow,
  name: string | null,
): RuleWorkspace => ({
  type: "federation_rule_workspace",
  federation_rule_id: ruleId,
  workspace_id: row.workspace_id,
  workspace_name: name,
  created_at: row.created_at.toISOString(),
  created_by_actor_id: row.created_by,
});

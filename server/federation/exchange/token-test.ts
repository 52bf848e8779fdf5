// The box "test this token": every check of an exchange, shown one by one, with nothing made or used up.
import assert from "node:assert/strict";
import type { Context } from "../../../kernel/context.ts";
import { checks, type ExchangeCase } from "./checks.ts";
import { lifetimeOf } from "./exchange.ts";
import { limits } from "../limits.ts";
import { findIssuer } from "../issuers/queries.ts";
import { listRefusals } from "../rules/queries.ts";
import { ruleOr404 } from "../rules/service.ts";
import type { RuleTest, TestRule } from "../schema-console.ts";

/** Rule FED22. */
export async function testRule(
  context: Context,
  ruleId: string,
  { assertion, workspace_id }: TestRule,
): Promise<RuleTest> {
  const { organizationId } = context.who;
  const rule = await ruleOr404(context.db, organizationId, ruleId);
  const issuer = await findIssuer(context.db, organizationId, rule.issuer_id);
  assert(issuer !== undefined, `the rule ${ruleId} has no issuer`);
  const it: ExchangeCase = {
    world: context,
    rule,
    issuer,
    text: assertion.trim(),
    serviceAccountId: undefined,
    workspaceId: workspace_id || undefined,
  };
  const shown: RuleTest["checks"] = [];
  let isOver = false;
  for (const { name, title, isPrerequisite, run } of checks) {
    if (isOver) {
      shown.push({ name, title, state: "skipped", detail: null });
      continue;
    }
    const fault = await run(it);
    const detail = fault === undefined ? null : (fault.detail ?? fault.sentence);
    shown.push({ name, title, state: fault === undefined ? "passed" : "failed", detail });
    isOver = fault !== undefined && isPrerequisite === true;
  }
  const passed = shown.every(({ state }) => state === "passed");
  return {
    type: "federation_rule_test",
    passed,
    checks: shown,
    claims: it.assertion?.claims ?? null,
    workspace_id: it.tokenWorkspaceId ?? null,
    expires_in: passed ? lifetimeOf(it) : null,
  };
}

/** The newest refusals, as administrators see them. */
export async function listRuleRefusals({ db, who }: Context, ruleId: string) {
  await ruleOr404(db, who.organizationId, ruleId);
  const rows = await listRefusals(db, who.organizationId, ruleId, limits.refusalsShown);
  return {
    data: rows.map(({ at, ...row }) => ({
      type: "federation_refusal" as const,
      at: at.toISOString(),
      ...row,
    })),
  };
}

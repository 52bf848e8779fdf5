// A rule while it is being written: what its form holds, and what is sent of it.
import { server } from "../../kit/server/api.ts";
import { leftOpen, presets, type Platform } from "../federation-presets.ts";
import type { Rule } from "../federation.ts";
import { pairsOf, recordOf, type Pair } from "../../kit/form/pairs.tsx";

export interface RuleDraft {
  name: string;
  description: string;
  issuer: string;
  subject: string;
  claims: Pair[];
  condition: string;
  audience: string;
  account: string;
  scope: string;
  where: "all" | "some";
  /** The one to begin with. */
  workspace: string;
  life: string;
}

export const matchOf = (
  platform: Platform,
): Pick<RuleDraft, "subject" | "claims" | "condition"> => {
  const { subject, claims, condition } = presets[platform].match;
  return { subject, claims: pairsOf(claims), condition };
};

export const newDraft = (platform: Platform, issuer: string, workspace: string): RuleDraft => ({
  name: "",
  description: "",
  issuer,
  ...matchOf(platform),
  audience: "",
  account: "",
  scope: "workspace:developer",
  where: "some",
  workspace,
  life: "3600",
});

export const draftOf = (rule: Rule): RuleDraft => ({
  name: rule.name,
  description: rule.description ?? "",
  issuer: rule.issuer_id,
  subject: rule.match.subject_prefix ?? "",
  claims: pairsOf(rule.match.claims ?? {}),
  condition: rule.match.condition ?? "",
  audience: rule.match.audience ?? "",
  account: rule.target.service_account_id,
  scope: rule.oauth_scope,
  where: rule.applies_to_all_workspaces ? "all" : "some",
  workspace: rule.workspace_ids[0] ?? "",
  life: String(rule.token_lifetime_seconds),
});

export const standsAbove = ({ scope }: RuleDraft): boolean => !scope.includes("workspace:");

/** What the server cannot know: a word of a preset is still there, or a claim would be any. */
export function faultOf({ subject, claims, condition }: RuleDraft): string | undefined {
  const open = leftOpen([subject, condition, ...claims.map(({ value }) => value)]);
  if (open !== undefined) return `Put what is yours in the place of ${open}.`;
  const empty = claims.find(({ key, value }) => key !== "" && value === "");
  if (empty !== undefined) return `Say what the claim ${empty.key} must be, or take it out.`;
  const names = claims.map(({ key }) => key).filter((key) => key !== "");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `The claim ${twice} stands there twice.`;
}

export function saveRule(draft: RuleDraft, before: Rule | undefined): Promise<Rule> {
  const isAll = !standsAbove(draft) && draft.where === "all";
  const needsOne = !isAll && !standsAbove(draft) && (before?.workspace_ids.length ?? 0) === 0;
  const body = {
    name: draft.name.trim(),
    description: draft.description.trim() || null,
    match: {
      subject_prefix: draft.subject.trim() || null,
      claims: recordOf(draft.claims),
      condition: draft.condition.trim() || null,
      audience: draft.audience.trim() || null,
    },
    target: { type: "service_account" as const, service_account_id: draft.account },
    oauth_scope: draft.scope,
    applies_to_all_workspaces: isAll,
    workspace_id: needsOne ? draft.workspace : null,
    token_lifetime_seconds: Number(draft.life),
  };
  return before === undefined
    ? server.federation_rules.create({ body: { ...body, issuer_id: draft.issuer } })
    : server.federation_rules.update({ params: { federation_rule_id: before.id }, body });
}

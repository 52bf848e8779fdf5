// Routes of issuers and rules.
import { route } from "../../kernel/http/route.ts";
import * as issuers from "./issuers/service.ts";
import * as ruleWorkspaces from "./rules/workspaces.ts";
import * as rules from "./rules/service.ts";
import { ArchivedQuery, PageQuery } from "./accounts/schema.ts";
import * as consoleSchema from "./schema-console.ts";
import * as schema from "./schema.ts";
import * as tester from "./exchange/token-test.ts";

const issuerPath = "/v1/organizations/federation_issuers";
const rulePath = "/v1/organizations/federation_rules";

/** Rule SVA6. */
const common = {
  organizations: ["platform"],
  credentials: ["oauth_token", "console"],
} as const;
const reading = { ...common, method: "GET", permission: "federation:read" } as const;
const writing = { ...common, method: "POST", permission: "federation:write" } as const;

const issuerRoutes = [
  route({
    ...writing,
    operation: "federation_issuers.create",
    path: issuerPath,
    summary: "Registers an issuer whose tokens the organization believes.",
    errors: [409],
    body: schema.CreateIssuer,
    reply: schema.Issuer,
    handle: (context, { body }) => issuers.createIssuer(context, body),
  }),
  route({
    ...reading,
    operation: "federation_issuers.list",
    path: issuerPath,
    summary: "Lists issuers, newest first.",
    query: ArchivedQuery,
    reply: schema.IssuerPage,
    handle: (context, { query }) => issuers.listIssuers(context, query),
  }),
  route({
    ...reading,
    operation: "federation_issuers.retrieve",
    path: `${issuerPath}/{federation_issuer_id}`,
    summary: "One issuer, and how its keys are doing.",
    params: schema.IssuerParams,
    reply: schema.Issuer,
    handle: (context, { params }) => issuers.retrieveIssuer(context, params.federation_issuer_id),
  }),
  route({
    ...writing,
    operation: "federation_issuers.update",
    path: `${issuerPath}/{federation_issuer_id}`,
    summary: "Changes an issuer; where its keys come from is replaced whole.",
    errors: [409],
    params: schema.IssuerParams,
    body: schema.UpdateIssuer,
    reply: schema.Issuer,
    handle: (context, { params, body }) =>
      issuers.updateIssuer(context, params.federation_issuer_id, body),
  }),
  route({
    ...writing,
    operation: "federation_issuers.archive",
    path: `${issuerPath}/{federation_issuer_id}/archive`,
    summary: "Archives an issuer that no live rule names.",
    params: schema.IssuerParams,
    reply: schema.Issuer,
    handle: (context, { params }) => issuers.archiveIssuer(context, params.federation_issuer_id),
  }),
];

const ruleRoutes = [
  route({
    ...writing,
    operation: "federation_rules.create",
    path: rulePath,
    summary: "Creates a rule: which tokens of an issuer become tokens of a service account.",
    errors: [409],
    body: schema.CreateRule,
    reply: schema.Rule,
    handle: (context, { body }) => rules.createRule(context, body),
  }),
  route({
    ...reading,
    operation: "federation_rules.list",
    path: rulePath,
    summary: "Lists rules, newest first, of one issuer where it is named.",
    query: schema.RuleQuery,
    reply: schema.RulePage,
    handle: (context, { query }) => rules.listRules(context, query),
  }),
  route({
    ...reading,
    operation: "federation_rules.retrieve",
    path: `${rulePath}/{federation_rule_id}`,
    summary: "One rule.",
    params: schema.RuleParams,
    reply: schema.Rule,
    handle: (context, { params }) => rules.retrieveRule(context, params.federation_rule_id),
  }),
  route({
    ...writing,
    operation: "federation_rules.update",
    path: `${rulePath}/{federation_rule_id}`,
    summary: "Changes a rule; match and target are replaced whole.",
    errors: [409],
    params: schema.RuleParams,
    body: schema.UpdateRule,
    reply: schema.Rule,
    handle: (context, { params, body }) =>
      rules.updateRule(context, params.federation_rule_id, body),
  }),
  route({
    ...writing,
    operation: "federation_rules.archive",
    path: `${rulePath}/{federation_rule_id}/archive`,
    summary: "Archives a rule: it exchanges nothing from then on.",
    params: schema.RuleParams,
    reply: schema.Rule,
    handle: (context, { params }) => rules.archiveRule(context, params.federation_rule_id),
  }),
];

const workspaceRoutes = [
  route({
    ...reading,
    operation: "federation_rules.workspaces.list",
    path: `${rulePath}/{federation_rule_id}/workspaces`,
    summary: "Lists the workspaces that a rule is enabled for, all on one page.",
    params: schema.RuleParams,
    query: PageQuery,
    reply: schema.RuleWorkspacePage,
    handle: (context, { params, query }) =>
      ruleWorkspaces.listRuleWorkspaces(context, params.federation_rule_id, query),
  }),
  route({
    ...writing,
    operation: "federation_rules.workspaces.add",
    path: `${rulePath}/{federation_rule_id}/workspaces`,
    summary: "Enables a rule for a workspace.",
    params: schema.RuleParams,
    body: schema.AddWorkspace,
    reply: schema.RuleWorkspace,
    handle: (context, { params, body }) =>
      ruleWorkspaces.addRuleWorkspace(context, params.federation_rule_id, body.workspace_id),
  }),
  route({
    ...writing,
    operation: "federation_rules.workspaces.remove",
    method: "DELETE",
    path: `${rulePath}/{federation_rule_id}/workspaces/{workspace_id}`,
    summary: "Disables a rule for a workspace.",
    params: schema.RuleWorkspaceParams,
    reply: schema.DeletedRuleWorkspace,
    handle: (context, { params: { federation_rule_id, workspace_id } }) =>
      ruleWorkspaces.removeRuleWorkspace(context, federation_rule_id, workspace_id),
  }),
];

const consoleRoutes = [
  route({
    operation: "console.federation_rules.test",
    method: "POST",
    path: "/console/api/federation_rules/{federation_rule_id}/test",
    summary: "Shows for a token which checks of a rule it passes; makes none and uses up nothing.",
    permission: "federation:write",
    organizations: ["platform"],
    credentials: ["console"],
    params: schema.RuleParams,
    body: consoleSchema.TestRule,
    reply: consoleSchema.RuleTest,
    handle: (context, { params, body }) =>
      tester.testRule(context, params.federation_rule_id, body),
  }),
  route({
    operation: "console.federation_rules.refusals",
    method: "GET",
    path: "/console/api/federation_rules/{federation_rule_id}/refusals",
    summary: "The newest tokens that a rule refused, and why.",
    permission: "federation:read",
    organizations: ["platform"],
    credentials: ["console"],
    params: schema.RuleParams,
    reply: consoleSchema.Refusals,
    handle: (context, { params }) => tester.listRuleRefusals(context, params.federation_rule_id),
  }),
];

export const routes = [...issuerRoutes, ...ruleRoutes, ...workspaceRoutes, ...consoleRoutes];

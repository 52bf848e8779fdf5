// How to make what the routes of service accounts and federation name.
import { generateKeyPairSync } from "node:crypto";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { workspaceIn } from "./fixtures-workspaces.ts";

let made = 0;

const base = "/v1/organizations";
const post = async (tenant: Tenant, path: string, body: object) =>
  (await tenant.console("POST", `${base}/${path}`, body)) as { id: string };

const accountIn = async (tenant: Tenant) => {
  const { id } = await post(tenant, "service_accounts", { name: `account-${++made}` });
  return { service_account_id: id };
};

const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = () => ({
  name: `issuer-${++made}`,
  issuer_url: "https://issuer.example",
  jwks: { type: "inline", keys: [publicKey.export({ format: "jwk" })] },
});
const issuerIn = async (tenant: Tenant) => {
  const { id } = await post(tenant, "federation_issuers", issuer());
  return { federation_issuer_id: id };
};

const rule = async (tenant: Tenant) => ({
  name: `rule-${++made}`,
  issuer_id: (await issuerIn(tenant)).federation_issuer_id,
  match: { subject_prefix: "workload:*" },
  target: { type: "service_account", ...(await accountIn(tenant)) },
  oauth_scope: "workspace:developer",
  ...(await workspaceIn(tenant)),
});
const ruleIn = async (tenant: Tenant) => {
  const { id } = await post(tenant, "federation_rules", await rule(tenant));
  return { federation_rule_id: id };
};
const ruleAndWorkspace = async (tenant: Tenant) => {
  const params = { ...(await ruleIn(tenant)), ...(await workspaceIn(tenant)) };
  const { federation_rule_id, workspace_id } = params;
  await post(tenant, `federation_rules/${federation_rule_id}/workspaces`, { workspace_id });
  return params;
};

const workspace_role = "workspace_developer";
const memberIn = async (tenant: Tenant) => {
  const params = { ...(await accountIn(tenant)), ...(await workspaceIn(tenant)) };
  const body = { workspace_id: params.workspace_id, workspace_role };
  await post(tenant, `service_accounts/${params.service_account_id}/workspaces`, body);
  return params;
};
const withWorkspaces = async (tenant: Tenant) => {
  const params = await accountIn(tenant);
  const path = `service_accounts/${params.service_account_id}/workspaces`;
  // The implicit membership comes beside as many others as were asked for: an explicit one takes its place.
  const { data } = (await tenant.console("GET", `${base}/${path}`)) as {
    data: { workspace_id: string }[];
  };
  const [home] = data;
  await post(tenant, path, { workspace_id: home?.workspace_id, workspace_role });
  for (const _ of [1, 2, 3]) {
    const body = { ...(await workspaceIn(tenant)), workspace_role };
    await post(tenant, `service_accounts/${params.service_account_id}/workspaces`, body);
  }
  return params;
};
const withAccounts = async (tenant: Tenant) => {
  const params = await workspaceIn(tenant);
  for (const _ of [1, 2, 3]) {
    const body = { ...(await accountIn(tenant)), workspace_role };
    await post(tenant, `workspaces/${params.workspace_id}/service_accounts`, body);
  }
  return params;
};
const twice = (one: (tenant: Tenant) => Promise<unknown>) => async (tenant: Tenant) => {
  await one(tenant);
  await one(tenant);
};

export const federationFixtures: Readonly<Record<string, Fixture>> = {
  "service_accounts.create": { body: () => ({ name: `account-${++made}` }) },
  "service_accounts.list": { items: twice(accountIn) },
  "service_accounts.retrieve": { params: accountIn },
  "service_accounts.update": { params: accountIn, body: () => ({ description: "Deploys" }) },
  "service_accounts.archive": { params: accountIn },
  "service_accounts.workspaces.list": { params: withWorkspaces, items: async () => {} },
  "service_accounts.workspaces.add": {
    params: accountIn,
    body: async (tenant) => ({ ...(await workspaceIn(tenant)), workspace_role }),
  },
  "service_accounts.workspaces.remove": { params: memberIn },
  "workspaces.service_accounts.list": { params: withAccounts, items: async () => {} },
  "workspaces.service_accounts.add": {
    params: workspaceIn,
    body: async (tenant) => ({ ...(await accountIn(tenant)), workspace_role }),
  },
  "workspaces.service_accounts.retrieve": { params: memberIn },
  "workspaces.service_accounts.update": {
    params: memberIn,
    body: () => ({ workspace_role: "workspace_admin" }),
  },
  "workspaces.service_accounts.remove": { params: memberIn },
  "federation_issuers.create": { body: issuer },
  "federation_issuers.list": { items: twice(issuerIn) },
  "federation_issuers.retrieve": { params: issuerIn },
  "federation_issuers.update": { params: issuerIn, body: () => ({ check_jti: false }) },
  "federation_issuers.archive": { params: issuerIn },
  "federation_rules.create": { body: rule },
  "federation_rules.list": { items: twice(ruleIn) },
  "federation_rules.retrieve": { params: ruleIn },
  "federation_rules.update": { params: ruleIn, body: () => ({ description: "Deploys" }) },
  "federation_rules.archive": { params: ruleIn },
  "federation_rules.workspaces.list": { params: ruleAndWorkspace, items: async () => {} },
  "federation_rules.workspaces.add": { params: ruleIn, body: workspaceIn },
  "federation_rules.workspaces.remove": { params: ruleAndWorkspace },
  "console.federation_rules.test": { params: ruleIn, body: () => ({ assertion: "a.b.c" }) },
  "console.federation_rules.refusals": { params: ruleIn },
};

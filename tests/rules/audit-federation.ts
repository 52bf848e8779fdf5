// The changes of service accounts, issuers and rules, and exchanges, which leave an event each.
import type { Answer, House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { openFederationSetup, sign, type FederationSetup } from "./federation-house.ts";

let made = 0;

/** The house is there when they are made ready. */
export function federationChanges(houseOf: () => House): Record<string, AuditedChange> {
  const asOwner = (tenant: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/v1/organizations/${path}`, { cookie: tenant.cookie, body });
  const post = (path: string, body?: object) => (tenant: Tenant) =>
    asOwner(tenant, "POST", path, body);
  const account = async (tenant: Tenant): Promise<string> =>
    (await post("service_accounts", { name: `changed-${++made}` })(tenant)).body.id as string;
  const workspace = async (tenant: Tenant): Promise<string> =>
    (await post("workspaces", { name: `Changed ${++made}` })(tenant)).body.id as string;
  const setting = (tenant: Tenant) => openFederationSetup(houseOf(), tenant);
  const state = async ({ organization_id }: Tenant) => {
    const tables = [
      "service_accounts",
      "service_account_workspaces",
      "federation_issuers",
      "federation_rules",
      "federation_rule_workspaces",
      "access_tokens",
    ];
    const read = tables.map((table) =>
      houseOf().world.db.query({
        text: `select to_jsonb(t) as row from ${table} t where organization_id = $1 order by 1`,
        values: [organization_id],
      }),
    );
    return Promise.all(read);
  };
  const change = (
    action: string,
    prepare: (tenant: Tenant) => Promise<(tenant: Tenant) => Promise<Answer>>,
  ): AuditedChange => ({
    action,
    state,
    prepare: async (tenant) => {
      const act = await prepare(tenant);
      return () => act(tenant);
    },
  });
  const role = { workspace_role: "workspace_developer" };
  const member = async (tenant: Tenant) => {
    const [service_account_id, workspace_id] = [await account(tenant), await workspace(tenant)];
    const path = `service_accounts/${service_account_id}/workspaces`;
    await post(path, { workspace_id, ...role })(tenant);
    return { service_account_id, workspace_id };
  };
  const withRule =
    (act: (setting: FederationSetup, tenant: Tenant) => (tenant: Tenant) => Promise<Answer>) =>
    async (tenant: Tenant) =>
      act(await setting(tenant), tenant);
  const added = async (tenant: Tenant) => {
    const { rule } = await setting(tenant);
    const workspace_id = await workspace(tenant);
    await post(`federation_rules/${rule.id}/workspaces`, { workspace_id })(tenant);
    return `federation_rules/${rule.id}/workspaces/${workspace_id}`;
  };
  return {
    "oauth.token": change("federation_rule.exchanged", async (tenant) => {
      const own = await setting(tenant);
      const text = await sign(own.key, own.claims());
      return () => own.exchange(text);
    }),
    "service_accounts.create": change("service_account.created", async () =>
      post("service_accounts", { name: `changed-${++made}` }),
    ),
    "service_accounts.update": change("service_account.updated", async (tenant) =>
      post(`service_accounts/${await account(tenant)}`, { description: "Other" }),
    ),
    "service_accounts.archive": change("service_account.archived", async (tenant) =>
      post(`service_accounts/${await account(tenant)}/archive`),
    ),
    "service_accounts.workspaces.add": change("service_account_workspace.added", async (tenant) =>
      post(`service_accounts/${await account(tenant)}/workspaces`, {
        workspace_id: await workspace(tenant),
        ...role,
      }),
    ),
    "service_accounts.workspaces.remove": change(
      "service_account_workspace.removed",
      async (tenant) => {
        const { service_account_id: id, workspace_id } = await member(tenant);
        return () => asOwner(tenant, "DELETE", `service_accounts/${id}/workspaces/${workspace_id}`);
      },
    ),
    "workspaces.service_accounts.add": change("service_account_workspace.added", async (tenant) =>
      post(`workspaces/${await workspace(tenant)}/service_accounts`, {
        service_account_id: await account(tenant),
        ...role,
      }),
    ),
    "workspaces.service_accounts.update": change(
      "service_account_workspace.updated",
      async (tenant) => {
        const { service_account_id: id, workspace_id } = await member(tenant);
        const body = { workspace_role: "workspace_admin" };
        return post(`workspaces/${workspace_id}/service_accounts/${id}`, body);
      },
    ),
    "workspaces.service_accounts.remove": change(
      "service_account_workspace.removed",
      async (tenant) => {
        const { service_account_id: id, workspace_id } = await member(tenant);
        return () => asOwner(tenant, "DELETE", `workspaces/${workspace_id}/service_accounts/${id}`);
      },
    ),
    "federation_issuers.create": change(
      "federation_issuer.created",
      withRule(({ issuer: { jwks } }) =>
        post("federation_issuers", {
          name: `changed-${++made}`,
          issuer_url: "https://changed.example",
          jwks,
        }),
      ),
    ),
    "federation_issuers.update": change(
      "federation_issuer.updated",
      withRule(({ issuer }) => post(`federation_issuers/${issuer.id}`, { check_jti: false })),
    ),
    "federation_issuers.archive": change("federation_issuer.archived", async (tenant) => {
      const { rule, issuer } = await setting(tenant);
      await post(`federation_rules/${rule.id}/archive`)(tenant);
      return post(`federation_issuers/${issuer.id}/archive`);
    }),
    "federation_rules.create": change(
      "federation_rule.created",
      withRule(({ rule, issuer, account: { id } }, { workspace_id }) =>
        post("federation_rules", {
          name: `changed-${++made}`,
          issuer_id: issuer.id,
          match: { subject_prefix: rule["match"].subject_prefix as string },
          target: { type: "service_account", service_account_id: id },
          oauth_scope: "workspace:inference",
          workspace_id,
        }),
      ),
    ),
    "federation_rules.update": change(
      "federation_rule.updated",
      withRule(({ rule }) => post(`federation_rules/${rule.id}`, { description: "Other" })),
    ),
    "federation_rules.archive": change(
      "federation_rule.archived",
      withRule(({ rule }) => post(`federation_rules/${rule.id}/archive`)),
    ),
    "federation_rules.workspaces.add": change("federation_rule.workspace_added", async (tenant) => {
      const { rule } = await setting(tenant);
      const workspace_id = await workspace(tenant);
      return post(`federation_rules/${rule.id}/workspaces`, { workspace_id });
    }),
    "federation_rules.workspaces.remove": change(
      "federation_rule.workspace_removed",
      async (tenant) => {
        const path = await added(tenant);
        return () => asOwner(tenant, "DELETE", path);
      },
    ),
  };
}

// How to make what the routes of vaults name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const path = "/v1/vaults";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };

const post = async (tenant: Tenant, path: string, body: unknown) =>
  (await tenant.console("POST", path, body, beta)) as { id: string };
const vaultIn = async (tenant: Tenant) => ({
  vault_id: (await post(tenant, path, { display_name: "secrets" })).id,
});
const variable = (secret_name: string) => ({
  auth: {
    type: "environment_variable",
    secret_name,
    secret_value: "hidden",
    networking: { type: "unrestricted" },
  },
});
const credentialIn = async (tenant: Tenant) => {
  const { vault_id } = await vaultIn(tenant);
  const { id } = await post(tenant, `${path}/${vault_id}/credentials`, variable("FIRST"));
  return { vault_id, credential_id: id };
};

/** For a server that is not reached: its name leads to an address that is refused. */
const bearerIn = async (tenant: Tenant) => {
  const { vault_id } = await vaultIn(tenant);
  const url = "https://localhost/mcp";
  const auth = { type: "static_bearer", token: "hidden", mcp_server_url: url };
  const { id } = await post(tenant, `${path}/${vault_id}/credentials`, { auth });
  return { vault_id, credential_id: id };
};

export const vaultFixtures: Readonly<Record<string, Fixture>> = {
  "vaults.create": { body: () => ({ display_name: "secrets" }) },
  "vaults.list": {
    items: async (tenant) => {
      await vaultIn(tenant);
      await vaultIn(tenant);
    },
  },
  "vaults.retrieve": { params: vaultIn },
  "vaults.update": { params: vaultIn, body: () => ({ display_name: "other" }) },
  "vaults.archive": { params: vaultIn },
  "vaults.delete": { params: vaultIn },
  "vaults.credentials.create": { params: vaultIn, body: () => variable("FIRST") },
  "vaults.credentials.list": {
    params: async (tenant) => {
      const { vault_id } = await credentialIn(tenant);
      await post(tenant, `${path}/${vault_id}/credentials`, variable("SECOND"));
      return { vault_id };
    },
    items: async () => {},
  },
  "vaults.credentials.retrieve": { params: credentialIn },
  "vaults.credentials.update": { params: credentialIn, body: () => ({ display_name: "other" }) },
  "vaults.credentials.archive": { params: credentialIn },
  "vaults.credentials.delete": { params: credentialIn },
  "vaults.credentials.mcp_oauth_validate": { params: bearerIn },
};

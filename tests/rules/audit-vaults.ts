// The changes of vaults and of credentials that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { bearer, vaultsOf } from "./vaults-house.ts";

/** The house is there when they are made ready. */
export function vaultChanges(houseOf: () => House): Record<string, AuditedChange> {
  const vaults = vaultsOf(houseOf);
  const state = async ({ api_key: key }: Tenant) => {
    const query = { include_archived: true };
    const all = await vaults.all("", query, { key });
    const credentials = await Promise.all(
      all.map(({ id }) => vaults.all(`/${id}/credentials`, query, { key })),
    );
    return [all, credentials];
  };
  const ofVault = (verb: string, method: string, path: string, body?: object): AuditedChange => ({
    action: verb,
    prepare: async ({ api_key: key }) => {
      const { id } = await vaults.make({}, { key });
      return () => vaults.call(method, `/${id}${path}`, { key, ...(body && { body }) });
    },
    state,
  });
  const ofCredential = (verb: string, method: string, path: string, body?: object) => ({
    action: `vault_credential.${verb}`,
    prepare: async ({ api_key: key }: Tenant) => {
      const { id: vault } = await vaults.make({}, { key });
      // Nothing listens there: what it is tried at is not reached.
      const auth = bearer({ mcp_server_url: "http://127.0.0.1:9/mcp" });
      const { id } = await vaults.add(vault, auth, {}, { key });
      const where = `/${vault}/credentials/${id}${path}`;
      return () => vaults.call(method, where, { key, ...(body && { body }) });
    },
    state,
  });
  return {
    "vaults.create": {
      action: "vault.created",
      prepare: async ({ api_key: key }) => {
        return () => vaults.call("POST", "", { key, body: { display_name: "secrets" } });
      },
      state,
    },
    "vaults.update": ofVault("vault.updated", "POST", "", { display_name: "other" }),
    "vaults.archive": ofVault("vault.archived", "POST", "/archive"),
    "vaults.delete": ofVault("vault.deleted", "DELETE", ""),
    "vaults.credentials.create": ofVault("vault_credential.created", "POST", "/credentials", {
      auth: bearer(),
    }),
    "vaults.credentials.update": ofCredential("updated", "POST", "", { display_name: "other" }),
    "vaults.credentials.archive": ofCredential("archived", "POST", "/archive"),
    "vaults.credentials.delete": ofCredential("deleted", "DELETE", ""),
    "vaults.credentials.mcp_oauth_validate": ofCredential(
      "validated",
      "POST",
      "/mcp_oauth_validate",
    ),
  };
}

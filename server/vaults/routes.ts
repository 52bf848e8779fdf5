// Routes of vaults and of their credentials.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import * as shapes from "./credentials/schema.ts";
import * as credentials from "./credentials/service.ts";
import { validateCredential } from "./tokens/validate.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofVaults = { permission: "vaults:use", beta } as const;
const vault = "/v1/vaults/{vault_id}";
const credential = `${vault}/credentials/{credential_id}`;

export const routes = [
  route({
    operation: "vaults.create",
    method: "POST",
    path: "/v1/vaults",
    summary: "Makes a vault, which holds credentials for agents.",
    ...ofVaults,
    body: schema.CreateVault,
    reply: schema.Vault,
    handle: (context, { body }) => service.createVault(context, body),
  }),
  route({
    operation: "vaults.list",
    method: "GET",
    path: "/v1/vaults",
    summary: "Lists the workspace's vaults, newest first.",
    ...ofVaults,
    query: schema.VaultQuery,
    reply: schema.VaultPage,
    handle: (context, { query }) => service.listVaults(context, query),
  }),
  route({
    operation: "vaults.retrieve",
    method: "GET",
    path: vault,
    summary: "One vault.",
    ...ofVaults,
    params: schema.VaultParams,
    reply: schema.Vault,
    handle: (context, { params }) => service.retrieveVault(context, params.vault_id),
  }),
  route({
    operation: "vaults.update",
    method: "POST",
    path: vault,
    summary: "Changes what is named of a vault.",
    ...ofVaults,
    params: schema.VaultParams,
    body: schema.UpdateVault,
    reply: schema.Vault,
    handle: (context, { params, body }) => service.updateVault(context, params.vault_id, body),
  }),
  route({
    operation: "vaults.archive",
    method: "POST",
    path: `${vault}/archive`,
    summary: "Closes a vault for ever, and destroys the secrets in it; its records stay.",
    ...ofVaults,
    params: schema.VaultParams,
    reply: schema.Vault,
    handle: (context, { params }) => service.archiveVault(context, params.vault_id),
  }),
  route({
    operation: "vaults.delete",
    method: "DELETE",
    path: vault,
    summary: "Deletes a vault with its credentials.",
    ...ofVaults,
    params: schema.VaultParams,
    reply: schema.DeletedVault,
    handle: (context, { params }) => service.deleteVault(context, params.vault_id),
  }),
  route({
    operation: "vaults.credentials.create",
    method: "POST",
    path: `${vault}/credentials`,
    summary: "Puts a credential into a vault; no reply ever holds its secrets.",
    ...ofVaults,
    params: schema.VaultParams,
    body: shapes.CreateCredential,
    reply: shapes.Credential,
    handle: (context, { params, body }) =>
      credentials.createCredential(context, params.vault_id, body),
  }),
  route({
    operation: "vaults.credentials.list",
    method: "GET",
    path: `${vault}/credentials`,
    summary: "Lists the credentials of a vault, newest first.",
    ...ofVaults,
    params: schema.VaultParams,
    query: schema.VaultQuery,
    reply: shapes.CredentialPage,
    handle: (context, { params, query }) =>
      credentials.listCredentials(context, params.vault_id, query),
  }),
  route({
    operation: "vaults.credentials.retrieve",
    method: "GET",
    path: credential,
    summary: "One credential, without its secrets.",
    ...ofVaults,
    params: shapes.CredentialParams,
    reply: shapes.Credential,
    handle: (context, { params }) => credentials.retrieveCredential(context, params),
  }),
  route({
    operation: "vaults.credentials.update",
    method: "POST",
    path: credential,
    summary: "Changes what is named of a credential; its type, and what it is for, stay.",
    ...ofVaults,
    params: shapes.CredentialParams,
    body: shapes.UpdateCredential,
    reply: shapes.Credential,
    handle: (context, { params, body }) => credentials.updateCredential(context, params, body),
  }),
  route({
    operation: "vaults.credentials.archive",
    method: "POST",
    path: `${credential}/archive`,
    summary: "Ends a credential for ever, and destroys its secrets; its record stays.",
    ...ofVaults,
    params: shapes.CredentialParams,
    reply: shapes.Credential,
    handle: (context, { params }) => credentials.archiveCredential(context, params),
  }),
  route({
    operation: "vaults.credentials.delete",
    method: "DELETE",
    path: credential,
    summary: "Deletes a credential.",
    ...ofVaults,
    params: shapes.CredentialParams,
    reply: shapes.DeletedCredential,
    handle: (context, { params }) => credentials.deleteCredential(context, params),
  }),
  route({
    operation: "vaults.credentials.mcp_oauth_validate",
    method: "POST",
    path: `${credential}/mcp_oauth_validate`,
    summary: "Tries a credential at its MCP server, with a new token where the server refuses it.",
    ...ofVaults,
    params: shapes.CredentialParams,
    reply: shapes.CredentialValidation,
    handle: (context, { params }) => validateCredential(context, params),
  }),
];

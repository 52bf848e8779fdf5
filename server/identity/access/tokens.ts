// From an access token to its principal.
import { unauthenticated } from "../../../kernel/base/failure.ts";
import type { Principal, World } from "../../../kernel/context.ts";
import { secretPrefixes } from "../../../kernel/secret/token.ts";
import * as tokens from "../../tokens/module.ts";
import { delegatePermission, permissionsOfScopes, type Role } from "./permissions.ts";
import { rightsOfPerson } from "./rights.ts";

/** Made once per remembered verdict, and forgotten with it. */
const principals = new WeakMap<tokens.TokenRow, Principal>();

/** Undefined for a secret that is no access token of this server. */
export async function authenticateToken(
  world: World,
  secret: string,
): Promise<Principal | undefined> {
  if (!secret.startsWith(secretPrefixes.access)) return undefined;
  const row = await tokens.verifyToken(world, secret);
  if (row === undefined) return undefined;
  const known = principals.get(row);
  if (known !== undefined) return known;
  const principal = { ...common(row), ...(await holderOf(world, row)) };
  principals.set(row, principal);
  return principal;
}

const common = (row: tokens.TokenRow) => ({
  kind: "oauth_token" as const,
  credentialId: row.id,
  organizationId: row.organization_id,
  organizationType: row.organization_type,
  workspaceId: row.workspace_id,
  ...(row.resource !== null && { resource: row.resource }),
});

/**
 * Rule TOK13, the one place that says which credentials are good where. At `/mcp`: every one that has the permission,
 * tokens that are bound to it among them. Everywhere else: none that is bound.
 */
export function expectGoodAt(place: "api" | "mcp", who: Principal): Principal {
  if (place === "mcp" || who.resource === undefined) return who;
  throw unauthenticated(
    `The access token ${who.credentialId} is for the MCP server at /mcp alone. Use an API key of the workspace, or sign a program in with ./plinth login.`,
  );
}

/** Rules TOK3 and TOK4: no scope gives more than its holder has at this moment. */
async function holderOf({ db }: World, row: tokens.TokenRow) {
  const { organization_id: organizationId, organization_type: organizationType, user_id } = row;
  if (user_id === null) {
    const scopes = row.scopes.filter(
      (scope) => scope !== "org:admin" || row.account_role === "admin",
    );
    return {
      userId: null,
      serviceAccountId: row.service_account_id ?? "",
      name: row.account_name ?? "",
      permissions: permissionsOfScopes(scopes, organizationType),
    };
  }
  const person = { organizationId, organizationType, userId: user_id, role: row.user_role as Role };
  const { permissions, ...limits } = await rightsOfPerson(db, person);
  const hasLapsed = row.scopes.includes("org:admin") && !permissions.has(delegatePermission);
  const scopes = row.scopes.filter((scope) => scope !== "org:admin" || !hasLapsed);
  const scoped = permissionsOfScopes(scopes, organizationType);
  return {
    userId: user_id,
    name: row.user_name ?? "",
    permissions: new Set([...scoped].filter((each) => permissions.has(each))),
    ...(hasLapsed && { lapsedScope: "org:admin" }),
    ...limits,
  };
}

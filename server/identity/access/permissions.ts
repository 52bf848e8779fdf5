// Who may do what: from the kind of credential, its scopes or the person's role to permissions.
import type { OrganizationType } from "../../../kernel/context.ts";
import type { enterpriseScopes } from "../../keys/module.ts";
import type { ResourceScope, TokenScope } from "../../tokens/module.ts";
import * as workspaces from "../../workspaces/module.ts";

type EnterpriseScope = (typeof enterpriseScopes)[number];

export const roles = [
  "user",
  "claude_code_user",
  "developer",
  "billing",
  "admin",
  "managed",
  "membership_admin",
  "owner",
  "primary_owner",
] as const;
export type Role = (typeof roles)[number];

/** Permissions that only a person in the console has. */
const ownAccount = ["console:use"] as const;
const member = ["organization:read", "models:read"] as const;
/** Permissions for work inside a workspace. */
const ofWorkspaces = workspaces.workspaceUsePermissions;
export const isWorkspacePermission = (permission: string) => ofWorkspaces.includes(permission);
const workbench = [...member, ...ofWorkspaces];

const ofOrganization = [
  "organization:read",
  "members:read",
  "workspaces:read",
  "api_keys:read",
  "service_accounts:read",
  "federation:read",
  "usage:read",
  "limits:read",
  "audit:read",
  "webhooks:read",
] as const;
/** What was said in requests is no matter of scopes: it is for administrators, and whom a role lets read it. */
const readings = [...ofOrganization, "models:read", "request_bodies:read"] as const;
const writings = [
  "members:write",
  "workspaces:write",
  "api_keys:write",
  "service_accounts:write",
  "federation:write",
  "limits:write",
  "models:write",
  "webhooks:write",
  // Of the default workspace, or of the one that the header names.
  "environment_keys:use",
] as const;
/** What an admin key may do, and an access token with the scope org:admin. */
const administration = [...readings, ...writings] as const;
/** Only enterprise organizations have groups and roles. */
const ofEnterprise = ["groups:read", "groups:write", "roles:read"] as const;
/** Letting programs administer in one's name: for administrators and owners, never by the roles of groups. */
export const delegatePermission = "administration:delegate";
/** For people to try things out; a key is for administration alone. */
const administrator = [
  ...administration,
  ...ofWorkspaces,
  "identity_provider:read",
  "seats:read",
  delegatePermission,
];
/** What no key and no token may do: acts of owners, in the console. */
const owner = [...administrator, "identity_provider:write", "seats:write", "roles:write"];

const byRole: Record<Role, readonly string[]> = {
  user: workbench,
  claude_code_user: workbench,
  developer: [
    ...workbench,
    "api_keys:read",
    "api_keys:write",
    "limits:read",
    "usage:read",
    "workspaces:read",
  ],
  billing: [...workbench, "limits:read", "usage:read", "seats:read", "seats:write"],
  admin: administrator,
  // What the roles of their groups give, and nothing else.
  managed: [],
  membership_admin: [...member, "members:read", "members:write", "seats:read"],
  owner,
  primary_owner: [...owner, "ownership:transfer", "admin_keys:scope"],
};

/** What a role has in addition in an enterprise organization. */
const byEnterpriseRole: Partial<Record<Role, readonly string[]>> = {
  admin: ofEnterprise,
  membership_admin: ofEnterprise,
  owner: ofEnterprise,
  primary_owner: ofEnterprise,
};

/** Every scoped key may read which organization it belongs to. */
export const permissionsByScope: Record<EnterpriseScope, readonly string[]> = {
  "read:members": ["organization:read", "members:read", "roles:read"],
  "write:members": ["organization:read", "members:write"],
  "read:rbac_groups": ["organization:read", "groups:read"],
  "write:rbac_groups": ["organization:read", "groups:write"],
  "read:org_audit": [...ofOrganization, "groups:read", "roles:read"],
  "read:analytics": ["organization:read", "usage:read"],
};

const sets = new Map<string, ReadonlySet<string>>();

/** The same set object for the same names: principals are made on every request. */
function setOf(names: readonly string[]): ReadonlySet<string> {
  const key = names.join(" ");
  let set = sets.get(key);
  if (set === undefined) sets.set(key, (set = new Set(names)));
  return set;
}

export function permissionsOfRole(
  role: Role,
  organizationType: OrganizationType,
): ReadonlySet<string> {
  const more = organizationType === "enterprise" ? (byEnterpriseRole[role] ?? []) : [];
  return setOf([...ownAccount, ...byRole[role], ...more]);
}

export const permissionsOfManaged = (given: readonly string[]): ReadonlySet<string> =>
  new Set([...ownAccount, ...given]);

export function permissionsOfKey(
  kind: "api" | "admin" | "oauth",
  organizationType: OrganizationType,
  scopes: readonly string[],
): ReadonlySet<string> {
  if (kind === "api") return setOf([...ofWorkspaces, "models:read"]);
  const more = organizationType === "enterprise" ? ofEnterprise : [];
  if (kind === "oauth")
    return setOf(scopes.includes("org:admin") ? [...administration, ...more] : ["models:read"]);
  if (organizationType !== "enterprise") return setOf(administration);
  return setOf([
    ...new Set(scopes.flatMap((scope) => permissionsByScope[scope as EnterpriseScope] ?? [])),
  ]);
}

/** The permissions of a token's scopes, independent of its holder. */
export const permissionsByTokenScope: Record<TokenScope | ResourceScope, readonly string[]> = {
  "org:admin": [...administration],
  "workspace:developer": [...ofWorkspaces, "models:read"],
  "workspace:inference": ["messages:use", "models:read"],
  // Bound to the MCP server, whose tools are the only way to them.
  mcp: [...ofWorkspaces, "models:read"],
};

/** Rule TOK3. */
export function permissionsOfScopes(
  scopes: readonly string[],
  organizationType: OrganizationType,
): ReadonlySet<string> {
  const given = scopes.flatMap(
    (scope) => permissionsByTokenScope[scope as TokenScope | ResourceScope] ?? [],
  );
  const more =
    scopes.includes("org:admin") && organizationType === "enterprise" ? ofEnterprise : [];
  return setOf([...new Set([...given, ...more])].sort());
}

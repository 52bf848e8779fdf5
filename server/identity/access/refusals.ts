// The sentence that refuses a credential: its kind, what it lacks, and which credentials the route takes.
import type { OrganizationType, Principal } from "../../../kernel/context.ts";
import { tokenScopes } from "../../tokens/module.ts";
import { workPermission } from "./workers.ts";
import {
  permissionsByScope,
  permissionsOfKey,
  permissionsOfRole,
  permissionsOfScopes,
  type Role,
} from "./permissions.ts";

type Kind = Principal["kind"];

const kindInWords: Record<Kind, string> = {
  api_key: "an API key of a workspace",
  admin_key: "an admin key",
  oauth_token: "an access token",
  environment_key: "an environment key",
  session_token: "the token of a worker",
  scim_token: "a token of SCIM",
  console: "a console sign-in",
};

/** Rule IDN2. The end of the sentence; `kinds` are those that the route takes, undefined for all of them. */
export function explainPermission(
  permission: string,
  who: Principal,
  kinds: readonly Kind[] | undefined,
): string {
  const has = who.permissions.has(permission);
  const isTaken = kinds?.includes(who.kind) !== false;
  if (who.lapsedScope !== undefined && !has && isTaken)
    return `this access token has the scope ${who.lapsedScope}, but ${who.name} is no administrator or owner any more, so it does not have the permission ${permission}; ask an administrator of the organization for the role.`;
  const lack = has
    ? `and cannot be used for it, although it has the permission ${permission}`
    : `without the permission ${permission}`;
  const ways = Object.entries(waysTo(permission, who.organizationType))
    .filter(([kind, way]) => way !== undefined && kinds?.includes(kind as Kind) !== false)
    .map(([, way]) => way);
  const asks = who.kind === "console" ? asksFor(who) : "";
  return `this credential is ${kindInWords[who.kind]} ${lack}; use ${ways.join(", or ")}${asks}.`;
}

/** A person's role is for others to change. */
const asksFor = ({ isManaged }: Principal): string =>
  isManaged === true
    ? ", or ask an owner of the organization for a role of your groups that gives it"
    : "; ask an administrator or owner of the organization for a role that has it";

/** Credentials of each kind that have the permission, in the words of a sentence. */
function waysTo(
  permission: string,
  type: OrganizationType,
): Partial<Record<Kind, string | undefined>> {
  return {
    api_key: permissionsOfKey("api", type, []).has(permission) ? kindInWords.api_key : undefined,
    admin_key: adminKeyFor(permission, type),
    oauth_token: tokenFor(permission, type),
    scim_token: permission === "scim:provision" ? kindInWords.scim_token : undefined,
    environment_key: permission === workPermission ? kindInWords.environment_key : undefined,
    console: consoleFor(permission, type),
  };
}

function adminKeyFor(permission: string, type: OrganizationType): string | undefined {
  if (type !== "enterprise")
    return permissionsOfKey("admin", type, []).has(permission) ? kindInWords.admin_key : undefined;
  const scopes = Object.keys(permissionsByScope).filter((scope) =>
    permissionsOfKey("admin", type, [scope]).has(permission),
  );
  return withScope(kindInWords.admin_key, scopes, Object.keys(permissionsByScope).length);
}

function tokenFor(permission: string, type: OrganizationType): string | undefined {
  const scopes: readonly string[] = tokenScopes;
  const giving = scopes.filter((scope) => permissionsOfScopes([scope], type).has(permission));
  return withScope(kindInWords.oauth_token, giving, scopes.length);
}

function withScope(noun: string, scopes: readonly string[], all: number): string | undefined {
  if (scopes.length === 0) return undefined;
  return scopes.length === all ? noun : `${noun} with the scope ${scopes.join(" or ")}`;
}

/** Roles that a person may have in this type of organization, and whose permissions do not come from groups. */
const rolesOf: Record<OrganizationType, readonly Role[]> = {
  platform: ["user", "developer", "billing", "admin", "owner", "primary_owner"],
  platform_cloud: ["user", "developer", "billing", "admin", "owner", "primary_owner"],
  enterprise: ["user", "membership_admin", "owner", "primary_owner"],
};

function consoleFor(permission: string, type: OrganizationType): string | undefined {
  if (permission === "console:use") return "the console, signed in as a person";
  const all = rolesOf[type];
  const roles = all.filter((role) => permissionsOfRole(role, type).has(permission));
  if (roles.length === 0) return undefined;
  if (roles.length === all.length) return "the console";
  return `the console with the role ${roles.join(" or ")}`;
}

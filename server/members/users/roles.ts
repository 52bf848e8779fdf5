// Roles: their words on the wire, their ranks, and which ones may be given.
import { forbidden } from "../../../kernel/base/failure.ts";
import type { Context, Dialect, OrganizationType } from "../../../kernel/context.ts";
import { roles, type Role } from "../../identity/module.ts";

export type { Role };

/** The words that requests may use: the canonical ones, and the older one for the same role. */
export const wireRoles = [...roles, "vendor_code_user"] as const;
export const olderWireRoles = { claude_code_user: "vendor_code_user" } as const;
export type WireRole = (typeof wireRoles)[number];

export const fromWireRole = (word: WireRole): Role =>
  word === "vendor_code_user" ? "claude_code_user" : word;

export const toWireRole = (role: Role, dialect: Dialect): WireRole =>
  role === "claude_code_user" && dialect === "2023-06-01" ? "vendor_code_user" : role;

const ordinary = ["user", "claude_code_user", "developer", "billing"] as const;

/** Rule USR5: the roles that the API may give. */
export const assignableRoles: Record<OrganizationType, readonly Role[]> = {
  platform: ordinary,
  platform_cloud: ordinary,
  enterprise: ["user", "managed"],
};

/** Rule USR31: a managed member gives others no more than the role that grants nothing by itself. */
export const assignableByManaged = (permissions: ReadonlySet<string>): readonly Role[] =>
  permissions.has("members:write") ? ["managed"] : [];

/** Rule USR12: the roles that the console may give besides, to members whom the viewer stands above. */
export const consoleRoles: Record<OrganizationType, readonly Role[]> = {
  platform: [...ordinary, "admin", "owner"],
  platform_cloud: [...ordinary, "admin", "owner"],
  enterprise: ["user", "managed", "membership_admin", "owner"],
};

const ranks: Partial<Record<Role, number>> = {
  membership_admin: 1,
  admin: 2,
  owner: 3,
  primary_owner: 4,
};
const rankOf = (role: Role) => ranks[role] ?? 0;

/** Rule USR6: these are not changed over the API. */
export const isProtected = (role: Role) => rankOf(role) > 0;

/** The role by which a person's rank counts: a managed member who may write members ranks as membership_admin. */
export const effectiveRole = (role: Role, permissions: ReadonlySet<string>): Role =>
  role === "managed" && permissions.has("members:write") ? "membership_admin" : role;

/** Rules USR5, USR14 and USR25: acts on members of groups touch the groups too. */
export function expectGroupsWrite({ who }: Pick<Context, "who">, act: string, code?: string): void {
  if (who.permissions.has("groups:write")) return;
  throw forbidden(
    `${act} also needs the permission groups:write: use an admin key with the scope write:rbac_groups beside write:members.`,
    code === undefined ? {} : { code },
  );
}

/** Owners stand above each other: the first request wins. */
export const outranks = (one: Role, other: Role): boolean =>
  rankOf(one) > rankOf(other) || (one === "owner" && other === "owner");

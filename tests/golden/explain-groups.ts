// The hot statements of groups and roles.
import type { Queryable } from "../../kernel/sql/database.ts";
import * as groups from "../../server/groups/queries.ts";
import * as roles from "../../server/groups/roles/queries.ts";

const page = { after: "g", rows: 21 };

export const groupStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "groups: a page": (on) => groups.listGroups(on, "org", page),
  "groups: members": (on) => groups.listMembers(on, "org", "group", page),
  "groups: one member": (on) => groups.findMember(on, "org", "group", "user"),
  "groups: of somebody": (on) => groups.listGroupsOf(on, "org", "user"),
  "groups: how many": (on) => groups.countGroups(on, "org"),
  "roles: of groups": (on) => roles.listRolesOfGroups(on, "org", ["one", "two"]),
  "roles: of somebody": (on) => roles.listRoleIdsOf(on, "org", "user"),
  "roles: what they hold": (on) => roles.listActionsOf(on, "org", ["one", "two"]),
  "roles: a page": (on) => roles.listRoles(on, "org", page),
  "roles: who has one": (on) => roles.listHolders(on, "org", "role", 51),
};

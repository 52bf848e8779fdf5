// Shapes of groups and roles.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const Id = Type.String({ minLength: 1, maxLength: 100 });
const Time = Type.String({ format: "date-time" });
const Name = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });
/** Null: roles could not be read just now. That is not the same as none. */
const RoleIds = Type.Union([Type.Array(Type.String()), Type.Null()]);

export const PageQuery = closed(cursorQuery);
export type PageQuery = Static<typeof PageQuery>;

export const Group = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("rbac_group"),
    name: Type.String(),
    source_type: Type.Enum(["direct", "scim"]),
    roles: RoleIds,
    role_ids: RoleIds,
    created_at: Time,
    updated_at: Time,
  },
  { $id: "RbacGroup" },
);
export type Group = Static<typeof Group>;
/** As the console shows a group: with the provider that controls it. */
export const ConsoleGroup = Type.Object(
  {
    ...Group.properties,
    /** The identity provider where name and members are changed; null: they are changed here. */
    controlled_by: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: "ConsoleRbacGroup" },
);
export type ConsoleGroup = Static<typeof ConsoleGroup>;
export const GroupPage = cursorPage(Group);
export const GroupParams = closed({ rbac_group_id: Id });
export const CreateGroup = closed({ name: Name });
export type CreateGroup = Static<typeof CreateGroup>;
/** The official client's types allow null for a field that keeps its value. */
export const UpdateGroup = closed({ name: Type.Optional(Type.Union([Name, Type.Null()])) });
export type UpdateGroup = Static<typeof UpdateGroup>;
export const GroupDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("rbac_group_deleted"),
});

const memberFields = {
  type: Type.Literal("rbac_group_member"),
  rbac_group_id: Type.String(),
  user_id: Type.String(),
  email: Type.String(),
  created_at: Time,
};
export const GroupMember = Type.Object(memberFields, { $id: "RbacGroupMember" });
export type GroupMember = Static<typeof GroupMember>;
export const GroupMemberPage = cursorPage(GroupMember);
export const MemberParams = closed({ rbac_group_id: Id, user_id: Id });
export const AddMember = closed({ user_id: Id });
export const MemberRemoved = Type.Object({
  type: Type.Literal("rbac_group_member_deleted"),
  rbac_group_id: Type.String(),
  user_id: Type.String(),
});

export const Role = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("rbac_role"),
    display_name: Type.String(),
    source: Type.Object({ type: Type.Enum(["built_in", "custom"]) }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "RbacRole" },
);
export type Role = Static<typeof Role>;
export const RolePage = cursorPage(Role);
export const RoleParams = closed({ rbac_role_id: Id });

export const RolePermission = Type.Object(
  {
    type: Type.Literal("rbac_role_permission"),
    action: Type.String(),
    resource: Type.Object({
      type: Type.Literal("organization"),
      organization_id: Type.String(),
    }),
  },
  { $id: "RbacRolePermission" },
);
export type RolePermission = Static<typeof RolePermission>;
export const RolePermissionPage = cursorPage(RolePermission);

/** As the console shows a member: with name and role in the organization. */
export const ConsoleMember = Type.Object(
  { ...memberFields, name: Type.String(), role: Type.String() },
  { $id: "ConsoleRbacGroupMember" },
);
export const ConsoleMemberPage = cursorPage(ConsoleMember);
export const SetGroupRoles = closed({
  role_ids: Type.Array(Id, { maxItems: limits.rolesPerGroupMax, uniqueItems: true }),
});
export type SetGroupRoles = Static<typeof SetGroupRoles>;

/** As the console edits a role: with its actions. */
export const ConsoleRole = Type.Object(
  {
    ...Role.properties,
    description: Type.String(),
    actions: Type.Array(Type.String()),
    grants_owner_access: Type.Boolean(),
  },
  { $id: "ConsoleRbacRole" },
);
export type ConsoleRole = Static<typeof ConsoleRole>;
export const ConsoleRoles = Type.Object({ data: Type.Array(ConsoleRole) });

const Description = Type.String({ maxLength: limits.descriptionCharactersMax });
const Actions = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
  minItems: 1,
  maxItems: limits.actionsPerRoleMax,
  uniqueItems: true,
});
export const CreateRole = closed({
  display_name: Name,
  description: Type.Optional(Description),
  actions: Actions,
});
export type CreateRole = Static<typeof CreateRole>;
export const UpdateRole = closed({
  display_name: Type.Optional(Name),
  description: Type.Optional(Description),
  actions: Type.Optional(Actions),
});
export type UpdateRole = Static<typeof UpdateRole>;
export const RoleDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("rbac_role_deleted"),
});

export const RoleHolders = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      type: Type.Literal("rbac_group"),
      name: Type.String(),
      source_type: Type.Enum(["direct", "scim"]),
    }),
  ),
  has_more: Type.Boolean(),
});

export const ActionWords = Type.Object({
  data: Type.Array(
    Type.Object({
      type: Type.Literal("rbac_action"),
      action: Type.String(),
      variant: Type.Enum(["capability", "model_access", "permission"]),
      gives: Type.String(),
      /** Stands for all actions of its variant: no other one of them beside it. */
      is_blanket: Type.Boolean(),
      grants_owner_access: Type.Boolean(),
    }),
  ),
});

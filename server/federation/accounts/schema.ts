// Shapes of service accounts and of their memberships.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { limits } from "../limits.ts";

export const NullableString = Type.Union([Type.String(), Type.Null()]);
export const orNull = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
export const Id = Type.String({ minLength: 1, maxLength: 100 });
export const Slug = Type.String({
  ...worded("^[a-z0-9-]+$", "must have small letters, digits and - only"),
  minLength: 1,
  maxLength: limits.slugCharactersMax,
});
export const Description = Type.String({ maxLength: limits.descriptionCharactersMax });
const Role = Type.Enum(["developer", "admin"]);

/** When, and by whom: on every stored object. */
export const audited = {
  created_at: Type.String({ format: "date-time" }),
  created_by_actor_id: NullableString,
  updated_at: Type.String({ format: "date-time" }),
  updated_by_actor_id: NullableString,
  archived_at: NullableString,
  archived_by_actor_id: NullableString,
};

export const ServiceAccount = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("service_account"),
    name: Type.String(),
    description: NullableString,
    organization_role: Role,
    ...audited,
  },
  { $id: "ServiceAccount" },
);
export type ServiceAccount = Static<typeof ServiceAccount>;
export const ServiceAccountPage = cursorPage(ServiceAccount);

export const AccountParams = closed({ service_account_id: Id });
export const CreateAccount = closed({
  name: Slug,
  description: orNull(Description),
  organization_role: Type.Optional(Role),
});
export type CreateAccount = Static<typeof CreateAccount>;
export const UpdateAccount = closed({
  description: orNull(Description),
  organization_role: orNull(Role),
});
export type UpdateAccount = Static<typeof UpdateAccount>;

export const ArchivedQuery = closed({
  ...cursorQuery,
  include_archived: Type.Optional(Type.Boolean()),
});
export type ArchivedQuery = Static<typeof ArchivedQuery>;
export const PageQuery = closed(cursorQuery);
export type PageQuery = Static<typeof PageQuery>;

const WorkspaceRole = Type.Enum([
  "workspace_user",
  "workspace_developer",
  "workspace_restricted_developer",
  "workspace_admin",
]);
export type WorkspaceRole = Static<typeof WorkspaceRole>;

export const Membership = Type.Object(
  {
    type: Type.Literal("service_account_workspace_member"),
    service_account_id: Type.String(),
    workspace_id: Type.String(),
    workspace_role: WorkspaceRole,
    implicit: Type.Union([Type.Boolean(), Type.Null()]),
    created_by_actor_id: NullableString,
  },
  { $id: "ServiceAccountWorkspaceMember" },
);
export type Membership = Static<typeof Membership>;
export const MembershipPage = cursorPage(Membership);
export const DeletedMembership = Type.Object(
  {
    type: Type.Literal("service_account_workspace_member_deleted"),
    service_account_id: Type.String(),
    workspace_id: Type.String(),
  },
  { $id: "DeletedServiceAccountWorkspaceMember" },
);

export const WorkspaceParams = closed({ workspace_id: Id });
export const MembershipParams = closed({ service_account_id: Id, workspace_id: Id });
export const AddToWorkspace = closed({ workspace_id: Id, workspace_role: WorkspaceRole });
export const AddAccount = closed({ service_account_id: Id, workspace_role: WorkspaceRole });
export const UpdateMembership = closed({ workspace_role: WorkspaceRole });

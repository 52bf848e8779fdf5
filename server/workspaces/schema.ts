// Shapes of workspaces and of their members.
import Type, { type Static, type TSchema } from "typebox";
import { idPage, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { limits } from "./limits.ts";

export const workspaceRoles = [
  "workspace_user",
  "workspace_developer",
  "workspace_restricted_developer",
  "workspace_admin",
  "workspace_billing",
] as const;
export type WorkspaceRole = (typeof workspaceRoles)[number];

const optional = Type.Optional;
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Time = Type.String({ format: "date-time" });
const Name = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });
const Color = Type.String({ ...worded("^#[0-9A-Fa-f]{6}$", "must be a colour such as #6c5bb9") });
const Geo = Type.Enum(["global", "us"]);
const AllowedGeos = Type.Union([
  Type.Literal("unrestricted"),
  Type.Array(Geo, { minItems: 1, maxItems: 10 }),
]);
const TagValue = Type.String({ maxLength: limits.tagValueCharactersMax });
const tagsOf = <T extends TSchema>(value: T) => Type.Record(Type.String(), value);

const DataResidency = Type.Object({
  allowed_inference_geos: AllowedGeos,
  default_inference_geo: Geo,
  workspace_geo: Type.Literal("us"),
});

/** The shape that the official client expects. */
export const Workspace = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("workspace"),
    name: Type.String(),
    created_at: Time,
    archived_at: nullable(Time),
    compartment_id: Type.String(),
    data_residency: DataResidency,
    display_color: Type.String(),
    external_key_id: Type.Null(),
    tags: tagsOf(Type.String()),
    user_profile_id: Type.Null(),
  },
  { $id: "Workspace" },
);
export type Workspace = Static<typeof Workspace>;
export const WorkspacePage = idPage(Workspace);

const updatedResidency = {
  allowed_inference_geos: optional(nullable(AllowedGeos)),
  default_inference_geo: optional(nullable(Geo)),
};

export const CreateWorkspace = closed({
  name: Name,
  data_residency: optional(
    nullable(
      closed({ ...updatedResidency, workspace_geo: optional(nullable(Type.Literal("us"))) }),
    ),
  ),
  display_color: optional(nullable(Color)),
  external_key_id: optional(nullable(Type.String())),
  tags: optional(nullable(tagsOf(TagValue))),
  user_profile_id: optional(nullable(Type.String())),
});
export type CreateWorkspace = Static<typeof CreateWorkspace>;

/** A field that is absent, or null, keeps its value; a tag that is null is removed. */
export const UpdateWorkspace = closed({
  name: optional(nullable(Name)),
  data_residency: optional(
    nullable(closed({ ...updatedResidency, workspace_geo: optional(nullable(Type.String())) })),
  ),
  display_color: optional(nullable(Color)),
  external_key_id: optional(nullable(Type.String())),
  tags: optional(nullable(tagsOf(nullable(TagValue)))),
  user_profile_id: optional(nullable(Type.String())),
});
export type UpdateWorkspace = Static<typeof UpdateWorkspace>;

export const WorkspaceQuery = closed({
  ...idQuery,
  ids: optional(Type.Array(Id, { maxItems: limits.idsMax })),
  include_archived: optional(Type.Boolean()),
  include_default: optional(Type.Boolean()),
});
export type WorkspaceQuery = Static<typeof WorkspaceQuery>;

export const WorkspaceParams = closed({ workspace_id: Id });
export const MemberParams = closed({ workspace_id: Id, user_id: Id });

export const WorkspaceMember = Type.Object(
  {
    type: Type.Literal("workspace_member"),
    user_id: Type.String(),
    workspace_id: Type.String(),
    workspace_role: Type.Enum([...workspaceRoles]),
  },
  { $id: "WorkspaceMember" },
);
export type WorkspaceMember = Static<typeof WorkspaceMember>;
export const WorkspaceMemberPage = idPage(WorkspaceMember);
export const MemberQuery = closed({ ...idQuery });
export type MemberQuery = Static<typeof MemberQuery>;

export const AddMember = closed({
  user_id: Id,
  workspace_role: Type.Enum(workspaceRoles.filter((role) => role !== "workspace_billing")),
});
export type AddMember = Static<typeof AddMember>;
export const UpdateMember = closed({ workspace_role: Type.Enum([...workspaceRoles]) });
export type UpdateMember = Static<typeof UpdateMember>;

export const WorkspaceMemberDeleted = Type.Object({
  type: Type.Literal("workspace_member_deleted"),
  user_id: Type.String(),
  workspace_id: Type.String(),
});

/** As the console shows a member: with the person's name. */
export const NamedMember = Type.Object({
  ...WorkspaceMember.properties,
  name: Type.String(),
  email: Type.String(),
  added_at: Time,
});
export const NamedMemberPage = idPage(NamedMember);

export const CandidateQuery = closed({ email: optional(Type.String({ maxLength: 254 })) });
export const Candidates = Type.Object({
  data: Type.Array(
    Type.Object({ user_id: Type.String(), name: Type.String(), email: Type.String() }),
  ),
});

/** As the console shows a workspace to its members. */
export const UsableWorkspace = Type.Object({
  id: Type.String(),
  name: Type.String(),
  is_default: Type.Boolean(),
  display_color: Type.String(),
  /** The number of its members. */
  role: nullable(Type.Enum([...workspaceRoles])),
  /** Whether the person may make keys there. */
  makes_keys: Type.Boolean(),
});

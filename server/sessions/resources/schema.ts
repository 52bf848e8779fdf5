// Shapes of what a session's sandbox is given.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { limits } from "../limits.ts";
import { Id, nullable, optional, Time } from "../shapes.ts";

const MountPath = Type.String({
  maxLength: limits.mountPathCharactersMax,
  ...worded("^/[\\s\\S]*$", "must be an absolute path, such as /workspace/data.csv"),
});
const Token = Type.String({
  minLength: 1,
  maxLength: limits.tokenCharactersMax,
  ...worded(
    "^[!-~]*$",
    "must be the token alone, without blanks, line breaks or letters with accents",
  ),
});
const Checkout = Type.Union([
  closed({ type: Type.Literal("branch"), name: Type.String({ minLength: 1, maxLength: 255 }) }),
  closed({
    type: Type.Literal("commit"),
    sha: Type.String(worded("^[0-9a-f]{40}([0-9a-f]{24})?$", "must be the whole SHA of a commit")),
  }),
]);

export const FileInput = closed({
  type: Type.Literal("file"),
  file_id: Id,
  mount_path: optional(nullable(MountPath)),
});
export type FileInput = Static<typeof FileInput>;

const RepositoryInput = closed({
  type: Type.Literal("github_repository"),
  url: Type.String({ minLength: 1, maxLength: limits.urlCharactersMax }),
  authorization_token: optional(nullable(Token)),
  checkout: optional(nullable(Checkout)),
  mount_path: optional(nullable(MountPath)),
});
export type RepositoryInput = Static<typeof RepositoryInput>;

const StoreInput = closed({
  type: Type.Literal("memory_store"),
  memory_store_id: Id,
  access: optional(nullable(Type.Enum(["read_write", "read_only"]))),
  instructions: optional(nullable(Type.String({ maxLength: limits.instructionsCharactersMax }))),
});
export type StoreInput = Static<typeof StoreInput>;

export const ResourceInput = Type.Union([FileInput, RepositoryInput, StoreInput]);
export type ResourceInput = Static<typeof ResourceInput>;

export const FileResource = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("file"),
    file_id: Type.String(),
    mount_path: Type.String(),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "SessionFile" },
);
export type FileResource = Static<typeof FileResource>;
const RepositoryResource = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("github_repository"),
    url: Type.String(),
    mount_path: Type.String(),
    checkout: nullable(
      Type.Object({ type: Type.Enum(["branch", "commit"]) }, { additionalProperties: true }),
    ),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "SessionRepository" },
);
/** Its name and description are those that the store had when the session began. */
const StoreResource = Type.Object(
  {
    type: Type.Literal("memory_store"),
    memory_store_id: Type.String(),
    access: Type.Enum(["read_write", "read_only"]),
    name: Type.String(),
    description: Type.String(),
    instructions: nullable(Type.String()),
    mount_path: Type.String(),
  },
  { $id: "SessionMemoryStore" },
);
export const SessionResource = Type.Union([FileResource, RepositoryResource, StoreResource]);
export type SessionResource = Static<typeof SessionResource>;

export const ResourcePage = cursorPage(SessionResource);
export const ResourceQuery = closed(cursorQuery);
export type ResourceQuery = Static<typeof ResourceQuery>;
export const ResourceParams = closed({ session_id: Id, resource_id: Id });
export const RotateToken = closed({ authorization_token: Token });
export const DeletedResource = Type.Object(
  { id: Type.String(), type: Type.Literal("session_resource_deleted") },
  { $id: "DeletedSessionResource" },
);

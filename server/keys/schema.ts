// Shapes of keys.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { cursorPage, cursorQuery, idPage, idQuery } from "../../kernel/http/pages.ts";
import { limits } from "./limits.ts";

export const enterpriseScopes = [
  "read:members",
  "write:members",
  "read:rbac_groups",
  "write:rbac_groups",
  "read:org_audit",
  "read:analytics",
] as const;

const NullableString = Type.Union([Type.String(), Type.Null()]);
const Name = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });
const Status = Type.Enum(["active", "inactive", "archived", "expired"]);
const SettableStatus = Type.Enum(["active", "inactive", "archived"]);
const Id = Type.String({ minLength: 1, maxLength: 100 });

/** The shape that the official client expects. */
export const ApiKey = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("api_key"),
    name: Type.String(),
    status: Status,
    created_at: Type.String({ format: "date-time" }),
    expires_at: NullableString,
    last_used_at: NullableString,
    partial_key_hint: NullableString,
    created_by: Type.Union([
      Type.Object({ id: Type.String(), type: Type.Enum(["user", "service_account"]) }),
      Type.Null(),
    ]),
    principal: Type.Union([
      Type.Object({ type: Type.Literal("user_actor"), user_id: Type.String() }),
      Type.Object({
        type: Type.Literal("service_account_actor"),
        service_account_id: Type.String(),
      }),
      Type.Null(),
    ]),
    scope: Type.Union([
      Type.Object({ type: Type.Literal("workspace"), workspace_id: Type.String() }),
      Type.Object({ type: Type.Literal("organization") }),
    ]),
  },
  { $id: "ApiKey" },
);
export type ApiKey = Static<typeof ApiKey>;
export const ApiKeyPage = idPage(ApiKey);

/** Rule KEY18: neither made nor used within so many days. */
const UnusedDays = Type.Optional(Type.Integer({ minimum: 1, maximum: limits.unusedDaysMax }));

export const ApiKeyQuery = closed({
  ...idQuery,
  status: Type.Optional(Status),
  workspace_id: Type.Optional(Id),
  created_by_user_id: Type.Optional(Id),
  unused_days: UnusedDays,
});
export type ApiKeyQuery = Static<typeof ApiKeyQuery>;

export const ApiKeyParams = closed({ api_key_id: Id });
/** The official client's types allow null for a field that keeps its value. */
export const UpdateKey = closed({
  name: Type.Optional(Type.Union([Name, Type.Null()])),
  status: Type.Optional(Type.Union([SettableStatus, Type.Null()])),
});
export type UpdateKey = Static<typeof UpdateKey>;

/** As the console shows keys: of every kind, with their last use. */
export const Key = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("key"),
    kind: Type.Enum(["api", "admin", "oauth"]),
    name: Type.String(),
    status: Status,
    created_at: Type.String({ format: "date-time" }),
    expires_at: NullableString,
    last_used_at: NullableString,
    partial_key_hint: Type.String(),
    created_by: Type.Union([
      Type.Object({
        id: Type.String(),
        type: Type.Enum(["user", "service_account"]),
        /** The maker's name; null: no longer of the organization. */
        name: NullableString,
      }),
      Type.Null(),
    ]),
    workspace_id: NullableString,
    workspace_name: NullableString,
    scopes: Type.Array(Type.String()),
  },
  { $id: "Key" },
);
export type Key = Static<typeof Key>;
export const KeyPage = cursorPage(Key);

export const KeyQuery = closed({
  ...cursorQuery,
  /** Keys with these ids alone: for a page that has only the ids. */
  id: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100 })),
  kind: Type.Optional(Type.Array(Type.Enum(["api", "admin", "oauth"]), { maxItems: 3 })),
  status: Type.Optional(Type.Array(Status, { maxItems: 4 })),
  workspace_id: Type.Optional(Id),
  created_by_user_id: Type.Optional(Id),
  unused_days: UnusedDays,
});
export type KeyQuery = Static<typeof KeyQuery>;

export const KeyParams = closed({ key_id: Id });
export const CreateKey = closed({
  name: Name,
  kind: Type.Enum(["api", "admin"]),
  workspace_id: Type.Optional(Id),
  expires_at: Type.Optional(Type.String({ format: "date-time" })),
  scopes: Type.Optional(Type.Array(Type.Enum([...enterpriseScopes]), { maxItems: 10 })),
});
export type CreateKey = Static<typeof CreateKey>;

export const NewKey = Type.Object({
  ...Key.properties,
  /** The secret, which is never shown again. */
  secret: Type.String(),
});

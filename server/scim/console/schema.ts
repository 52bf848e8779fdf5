// Shapes of SCIM in the console.
import Type from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";

const time = Type.String({ format: "date-time" });
const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const ScimStatus = Type.Object(
  {
    type: Type.Literal("scim"),
    base_url: Type.String(),
    active_users: Type.Integer(),
    inactive_users: Type.Integer(),
    groups: Type.Integer(),
  },
  { $id: "ScimStatus" },
);

const token = {
  id: Type.String(),
  type: Type.Literal("scim_token"),
  name: Type.String(),
  partial_token_hint: Type.String(),
  created_at: time,
  created_by: Type.Object({ id: Type.String(), name: nullable(Type.String()) }),
  last_used_at: nullable(time),
};
export const ScimToken = Type.Object(token, { $id: "ScimToken" });
export const NewScimToken = Type.Object(
  { ...token, secret: Type.String() },
  { $id: "NewScimToken" },
);
export const ScimTokens = Type.Object({ data: Type.Array(ScimToken) });

export const CreateScimToken = closed({
  name: Type.String({ minLength: 1, maxLength: limits.tokenNameCharactersMax }),
});
export const TokenParams = Type.Object({ token_id: Type.String() });
export const TokenDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("scim_token_deleted"),
});

export const ScimRequests = Type.Object({
  data: Type.Array(
    Type.Object(
      {
        id: Type.String(),
        type: Type.Literal("scim_request"),
        at: time,
        method: Type.String(),
        path: Type.String(),
        status: Type.Integer(),
        milliseconds: Type.Integer(),
        problem: nullable(Type.String()),
      },
      { $id: "ScimRequest" },
    ),
  ),
});

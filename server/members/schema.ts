// Shapes of members.
import Type, { type Static } from "typebox";
import { idPage, idQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { olderWords } from "../../kernel/http/validate/dialect-words.ts";
import { olderWireRoles, wireRoles } from "./users/roles.ts";

export const Id = Type.String({ minLength: 1, maxLength: 100 });
export const Role = Type.Enum([...wireRoles], { [olderWords]: olderWireRoles });
/** A filter is compared, not stored: a text that is no address matches no member. */
export const EmailFilter = Type.String({ minLength: 1, maxLength: 254 });
export const When = Type.String({ format: "date-time" });
export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const User = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("user"),
    email: Type.String(),
    name: Type.String(),
    role: Role,
    added_at: When,
  },
  { $id: "User" },
);
export type User = Static<typeof User>;

export const UserParams = closed({ user_id: Id });
export const UserQuery = closed({
  ...idQuery,
  email: Type.Optional(EmailFilter),
  roles: Type.Optional(Type.Array(Role, { maxItems: wireRoles.length })),
});
export type UserQuery = Static<typeof UserQuery>;
export const UserPage = idPage(User);
export const UpdateUser = closed({ role: Role });
export type UpdateUser = Static<typeof UpdateUser>;
export const UserDeleted = Type.Object({ id: Type.String(), type: Type.Literal("user_deleted") });

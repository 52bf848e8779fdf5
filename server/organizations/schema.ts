// Shapes of organizations.
import Type, { type Static } from "typebox";
import { limits } from "./limits.ts";

export const Organization = Type.Object(
  { id: Type.String(), type: Type.Literal("organization"), name: Type.String() },
  { $id: "Organization" },
);
export type Organization = Static<typeof Organization>;

export const OrganizationName = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });

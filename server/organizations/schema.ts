// Shapes of organizations.
import Type, { type Static } from "typebox";

export const Organization = Type.Object(
  { id: Type.String(), type: Type.Literal("organization"), name: Type.String() },
  { $id: "Organization" },
);
export type Organization = Static<typeof Organization>;

export const limits = { nameCharactersMax: 200 } as const;
export const OrganizationName = Type.String({ minLength: 1, maxLength: limits.nameCharactersMax });

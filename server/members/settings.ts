// What the settings file says of members.
import Type, { type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const MembersSection = Type.Object(
  {
    /** Members and pending invites of one organization together. */
    organization_members_max: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  },
  { additionalProperties: false },
);
type MembersSection = Static<typeof MembersSection>;

export const membersSection = defineSection({
  name: "members",
  describe: "How many members one organization may have.",
  schema: MembersSection,
  fallback: {},
});

export function membersMaxOf({ sections }: Pick<World, "sections">): number {
  const section = (sections?.["members"] ?? {}) as MembersSection;
  return section.organization_members_max ?? limits.membersPerOrganizationMax;
}

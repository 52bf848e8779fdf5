// What the settings file says of skills.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const SkillsSection = Type.Object(
  {
    /** Of all versions of one organization, packed; equal ones count once. */
    organization_bytes_max: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    ),
  },
  { additionalProperties: false },
);

export const skillsSection = defineSection({
  name: "skills",
  describe: "How many bytes of skills one organization may store.",
  schema: SkillsSection,
  fallback: {},
});

export function bytesMaxOf({ sections }: Pick<World, "sections">): number {
  const section = (sections?.["skills"] ?? {}) as Static<typeof SkillsSection>;
  return section.organization_bytes_max ?? limits.organizationBytesMax;
}

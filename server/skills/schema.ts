// Shapes of skills.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";

const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 100 });

export const sources = ["custom", "anthropic", "anthropic_example", "plugin"] as const;

export const Skill = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("skill"),
    display_name: Type.String(),
    latest_version_id: Type.String(),
    /** Here skills come from their workspace alone. */
    source: Type.Object({ type: Type.Literal("custom") }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "Skill" },
);
export type Skill = Static<typeof Skill>;
export const SkillPage = cursorPage(Skill);

export const SkillVersion = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("skill_version"),
    skill_id: Type.String(),
    /** The same in every version of a skill: the folder's name in a sandbox. */
    name: Type.String(),
    description: Type.String(),
    created_at: Time,
  },
  { $id: "SkillVersion" },
);
export type SkillVersion = Static<typeof SkillVersion>;
export const SkillVersionPage = cursorPage(SkillVersion);

export const SkillQuery = closed({
  ...cursorQuery,
  source: Type.Optional(Type.Enum([...sources])),
});
export type SkillQuery = Static<typeof SkillQuery>;
export const VersionQuery = closed(cursorQuery);
export type VersionQuery = Static<typeof VersionQuery>;

export const SkillParams = closed({ skill_id: Id });
export const VersionParams = closed({ skill_id: Id, version: Id });
export const DeletedSkill = Type.Object(
  { id: Type.String(), type: Type.Literal("skill_deleted") },
  { $id: "DeletedSkill" },
);
export const DeletedSkillVersion = Type.Object(
  { id: Type.String(), type: Type.Literal("skill_version_deleted") },
  { $id: "DeletedSkillVersion" },
);

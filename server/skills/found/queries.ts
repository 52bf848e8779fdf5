// Skills and their versions as they are found.
import { sql } from "../../../kernel/sql/statement.ts";
import type { Searchable } from "../../../kernel/http/searchable.ts";

export const searchables: readonly Searchable[] = [
  {
    type: "skill",
    idPrefix: "skill_",
    permission: "skills:use",
    operation: "skills.retrieve",
    within: "workspaces",
    isNamed: true,
    page: ({ id }) => `/skills/${id}`,
    rows: () => sql`
      select id, display_name as name, workspace_id, null::text as part_of, name as detail,
        workspace_id as place, display_name || ' ' || name as words
      from skills`,
  },
  {
    type: "skill_version",
    idPrefix: "skillver_",
    permission: "skills:use",
    operation: "skills.versions.retrieve",
    within: "workspaces",
    page: ({ id, part_of: of }) => `/skills/${of}?version=${id}`,
    rows: () => sql`
      select version.id, skill.display_name as name, version.workspace_id,
        version.skill_id as part_of, 'version ' || version.seq as detail,
        version.workspace_id as place, null::text as words
      from skill_versions as version join skills as skill on skill.id = version.skill_id`,
  },
];

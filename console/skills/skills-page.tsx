// The skills of a workspace: folders of files that agents read when they need them.
import { useNavigate } from "@tanstack/react-router";
import { GraduationCap } from "lucide-react";
import { useMemo } from "react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState, type Search } from "../kit/page/search.ts";
import type { Skill } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { skillActs } from "./skill-acts.tsx";
import { skillQueries } from "./skill-queries.ts";
import { firstSkill } from "./skill-snippets.ts";
import { SkillDrop, uploadSkill } from "./upload/upload-skill.tsx";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const show = (id: string) => void navigate({ to: "/skills/$id", params: { id }, search: home });
  const target = useMemo(() => ({ workspace, onDone: show }), [workspace, home.workspace]);
  const make = () => uploadSkill(target);
  useAskedFor({ skill: make });
  const list = usePagedList(skillQueries.list(workspace));
  return (
    <ListPage
      title="Skills"
      about="Folders of files that agents read when they need them. Drop one on the page to upload it."
      noun="skill"
      icon={GraduationCap}
      list={useFound(list, q, ({ id, display_name: name }) => `${name}\n${id}`)}
      columns={columnsOf(home)}
      nameOf={({ display_name: name }) => name}
      acts={(skill) => skillActs(skill, workspace, { onUploaded: show })}
      create={{ label: "New skill", inPalette: false, run: make }}
      filters={filters}
      empty={{
        title: "No skills yet",
        children:
          "A skill is a folder with SKILL.md in it, which says what it is for, and whatever else it takes: texts, scripts, templates. An agent that has it reads it when it is of use.",
        snippets: firstSkill(url),
      }}
    >
      <SkillDrop target={target} />
    </ListPage>
  );
}

const filters: readonly Filter[] = [{ kind: "search", name: "q", label: "Search name or id" }];

/** `search` of the address of each skill. */
const columnsOf = (search: Search): Column<Skill>[] => [
  nameColumn({
    className: "md:w-1/2",
    name: ({ display_name: name }) => name,
    below: ({ id }) => <span className="font-mono text-xs">{id}</span>,
    opens: ({ id }) => ({ to: "/skills/$id", params: { id }, search }),
  }),
  timeColumn("Newest version", ({ updated_at: at }) => at),
  timeColumn("Created", ({ created_at: at }) => at),
];

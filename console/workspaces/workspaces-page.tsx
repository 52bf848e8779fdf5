// Workspaces: the parts of an organization, each with its own keys, files, memory and people.
import { useNavigate } from "@tanstack/react-router";
import { LayoutGrid } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import type { Me } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Tags, YourRole } from "./tags.tsx";
import { WorkspaceDot } from "./workspace-dot.tsx";
import { newWorkspace } from "./workspace-form.tsx";
import { isDefaultOf, placesText, workspaceQueries, type Workspace } from "./workspaces.ts";

export function Page() {
  const me = useMe();
  const [{ q, archived }] = useSearchState();
  const navigate = useNavigate();
  const open = ({ id }: Workspace) => void navigate({ to: "/workspaces/$id", params: { id } });
  const make = () => newWorkspace(open);
  const mayMake = me.permissions.includes("workspaces:write");
  useAskedFor({ workspace: mayMake ? make : undefined });
  const list = useFound(usePagedList(workspaceQueries.list(archived !== undefined)), q, wordsOf);
  return (
    <ListPage
      title="Workspaces"
      about="Parts of the organization that do not see each other. API keys, batches, files and memory stores belong to one, and people work in those they are members of."
      noun="workspace"
      icon={LayoutGrid}
      list={list}
      columns={columnsOf(me)}
      create={mayMake ? { label: "New workspace", run: make, inPalette: false } : undefined}
      filters={filters}
      nothingFits={{ title: "No workspace fits", children: "Names and tags are searched." }}
      empty={{ title: "No workspaces", children: "None is open to you." }}
    >
      {list.rows.length === 1 && mayMake && q === undefined && <Lesson />}
    </ListPage>
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name or tag" },
  { kind: "check", name: "archived", label: "Show archived" },
];

const wordsOf = ({ name, id, tags }: Workspace): string =>
  [name, id, ...Object.entries(tags).map((pair) => pair.join(": "))].join("\n");

/** Shown while there is nothing but the default one. */
function Lesson() {
  return (
    <p className="mt-4 max-w-[70ch] text-soft">
      One workspace is enough for one team. Make another where things should be kept apart: a
      product with keys and a budget of its own, production beside tests, or data that only some
      people may see.
    </p>
  );
}

const columnsOf = (me: Me): Column<Workspace>[] => [
  nameColumn({
    className: "md:w-1/3",
    name: ({ name, display_color: color }) => (
      <span className="inline-flex items-center gap-2">
        <WorkspaceDot color={color} />
        {name}
      </span>
    ),
    opens: ({ id }) => ({ to: "/workspaces/$id", params: { id } }),
    beside: ({ id, archived_at: archived }) => (
      <>
        {isDefaultOf(me, id) && <Badge tone="accent">Default</Badge>}
        {archived !== null && <Badge>Archived</Badge>}
      </>
    ),
  }),
  { title: "Tags", cell: ({ tags }) => <Tags tags={tags} most={3} /> },
  { title: "Inference", cell: placesText },
  { title: "Your role", cell: ({ id }) => <YourRole id={id} /> },
  timeColumn("Created", ({ created_at: at }) => at),
];

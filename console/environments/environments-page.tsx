// The environments of a workspace: where the tools of sessions run, and what they reach.
import { useNavigate } from "@tanstack/react-router";
import { Container } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState, type Search } from "../kit/page/search.ts";
import type { Environment } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { environmentActs } from "./environment-acts.tsx";
import { newEnvironment } from "./environment-form.tsx";
import { firstEnvironment } from "./environment-snippets.ts";
import { environmentQueries, packageCount, reachText, typeWords } from "./environments.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q, archived }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const make = () =>
    newEnvironment(
      workspace,
      ({ id }) => void navigate({ to: "/environments/$id", params: { id }, search: home }),
    );
  useAskedFor({ environment: make });
  const list = usePagedList(environmentQueries.list(workspace, archived === "shown"));
  return (
    <ListPage
      title="Environments"
      about="Where the tools of agents run, and what they reach from there."
      noun="environment"
      icon={Container}
      list={useFound(list, q, wordsOf)}
      columns={columnsOf(home)}
      nameOf={({ name }) => name}
      acts={(environment) => environmentActs(environment, workspace)}
      create={{ label: "New environment", inPalette: false, run: make }}
      filters={filters}
      empty={{
        title: "No environments yet",
        children:
          "Each session has a computer of its own. An environment says where that is, on this server or in your own network, which hosts it reaches and which packages it has.",
        snippets: firstEnvironment(url),
      }}
    />
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name or id" },
  { kind: "check", name: "archived", label: "Show archived" },
];

const wordsOf = ({ id, name, description }: Environment): string =>
  [id, name, description ?? ""].join("\n");

const nothing = <span className="text-soft">Its own network</span>;

/** `search` of the address of each environment. */
const columnsOf = (search: Search): Column<Environment>[] => [
  nameColumn({
    className: "md:w-2/5 md:min-w-44",
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/environments/$id", params: { id }, search }),
  }),
  { title: "Runs", cell: ({ config: { type } }) => typeWords[type] },
  {
    title: "Reaches",
    cell: ({ config }) => (config.type === "cloud" ? reachText(config) : nothing),
  },
  {
    title: "Packages",
    cell: ({ config }) =>
      (config.type === "cloud" && packageCount(config)) || <span className="text-soft">None</span>,
  },
  timeColumn("Created", ({ created_at: at }) => at),
];

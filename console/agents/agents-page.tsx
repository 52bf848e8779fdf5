// The agents of a workspace.
import { useNavigate } from "@tanstack/react-router";
import { BotMessageSquare } from "lucide-react";
import { nameColumn, numberColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useSearchState, type Search } from "../kit/page/search.ts";
import type { Agent } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { agentActs, useAgentPlace } from "./agent-acts.tsx";
import { agentQueries } from "./agent-queries.ts";
import { firstAgent } from "./agent-snippets.ts";
import { effortOf, toolsText } from "./agents.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q, archived }] = useSearchState();
  const place = useAgentPlace();
  const navigate = useNavigate();
  const url = useServerUrl();
  const list = usePagedList(agentQueries.list(workspace, archived === "shown"));
  return (
    <ListPage
      title="Agents"
      about="An agent is a model with a prompt, tools and skills. Each change of it is kept as a version."
      noun="agent"
      icon={BotMessageSquare}
      list={useFound(list, q, wordsOf)}
      columns={columnsOf(home)}
      nameOf={({ name }) => name}
      acts={(agent) => agentActs(agent, place)}
      create={{
        label: "New agent",
        inPalette: false,
        run: () => void navigate({ to: "/agents/new", search: home }),
      }}
      filters={filters}
      nothingFits={{
        title: "No agent fits",
        children: "Names, descriptions, models and ids are searched.",
      }}
      empty={{
        title: "No agents yet",
        children:
          "Give a model a prompt and tools, and keep that under a name. Sessions run the agent at the version that it has then; you see each version, and what changed between any two.",
        snippets: firstAgent(url),
      }}
    />
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name, model or id" },
  { kind: "check", name: "archived", label: "Show archived" },
];

const wordsOf = ({ id, name, description, model }: Agent): string =>
  [id, name, description ?? "", model.id].join("\n");

/** `search` of the address of each agent. */
const columnsOf = (search: Search): Column<Agent>[] => [
  nameColumn({
    className: "md:w-2/5 md:min-w-44",
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/agents/$id", params: { id }, search }),
  }),
  {
    title: "Model",
    cell: (agent) => (
      <span className="wrap-anywhere">
        {agent.model.id}
        {effortOf(agent) !== undefined && (
          <span className="block text-sm text-soft max-md:ml-2 max-md:inline">
            {effortOf(agent)} effort
          </span>
        )}
      </span>
    ),
  },
  {
    title: "Tools",
    cell: (agent) => toolsText(agent) || <span className="text-soft">None</span>,
  },
  numberColumn("Version", ({ version }) => version),
  timeColumn("Updated", ({ updated_at: at }) => at),
];

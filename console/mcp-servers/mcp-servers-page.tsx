// The MCP servers of a workspace: whether each answers, and how many tools it has.
import { useNavigate } from "@tanstack/react-router";
import { Cable } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useFound, usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState, type Search } from "../kit/page/search.ts";
import type { McpServer } from "../kit/server/api.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { serverActs } from "./mcp-server-acts.tsx";
import { newServer } from "./mcp-server-form.tsx";
import { firstServer } from "./mcp-server-snippets.ts";
import { healthWords, mcpServerQueries } from "./mcp-servers.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ q }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const make = () =>
    newServer(
      workspace,
      ({ id }) => void navigate({ to: "/mcp-servers/$id", params: { id }, search: home }),
    );
  useAskedFor({ "mcp-server": make });
  const list = usePagedList(mcpServerQueries.list(workspace));
  return (
    <ListPage
      title="MCP servers"
      about="Servers with tools for agents: whether each answers, what it can do, and what has changed."
      noun="MCP server"
      icon={Cable}
      list={useFound(list, q, ({ id, name, url: address }) => `${id}\n${name}\n${address}`)}
      columns={columnsOf(home)}
      nameOf={({ name }) => name}
      acts={(server) => serverActs(server, workspace)}
      create={{ label: "Add server", inPalette: false, run: make }}
      filters={filters}
      empty={{
        title: "No MCP servers yet",
        children:
          "Add the servers that agents work with, to see which tools they have and to try one. Agents name a server by its address; this list changes nothing of what they reach.",
        snippets: firstServer(url),
      }}
    />
  );
}

const filters: readonly Filter[] = [
  { kind: "search", name: "q", label: "Search name, address or id" },
];

/** `search` of the address of each server. */
const columnsOf = (search: Search): Column<McpServer>[] => [
  nameColumn({
    className: "md:w-2/5 md:min-w-44",
    name: ({ name }) => name,
    below: ({ url }) => <span className="font-mono">{url}</span>,
    opens: ({ id }) => ({ to: "/mcp-servers/$id", params: { id }, search }),
  }),
  {
    title: "Health",
    cell: ({ health }) => {
      const { word, tone } = healthWords[health.status];
      return (
        <>
          <Badge tone={tone}>{word}</Badge>
          {health.last_error !== null && (
            <span className="line-clamp-2 text-sm text-soft wrap-anywhere">
              {health.last_error}
            </span>
          )}
        </>
      );
    },
  },
  {
    title: "Tools",
    isNumber: true,
    cell: ({ tools_count: count }) => count ?? <span className="text-soft">Not known</span>,
  },
  timeColumn("Answered", ({ health }) => health.last_connected_at),
];

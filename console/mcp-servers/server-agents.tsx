// The agents that name the address of an MCP server.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Card, Section } from "../kit/page/page-header.tsx";
import type { Search } from "../kit/page/search.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import type { McpServer } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { mcpServerQueries, type Workspace } from "./mcp-servers.ts";

export function ServerAgents({
  server,
  workspace,
  home,
}: {
  server: McpServer;
  workspace: Workspace;
  home: Search;
}) {
  const maySee = useMe().permissions.includes("agents:use");
  const { data, error } = useQuery({
    ...mcpServerQueries.agents(workspace, server),
    enabled: maySee,
  });
  if (error !== null) return <TroubleBox error={error} />;
  if (data === undefined) return null;
  const { agents, read, hasMore } = data;
  const note = hasMore
    ? `Of the newest ${read} agents.`
    : "Whose newest version names its address.";
  return (
    <Section title="Agents" note={note}>
      {agents.length === 0 ? (
        <p className="text-soft">No agent names the address of this server.</p>
      ) : (
        <Card className="p-0!">
          <ul aria-label="Agents" className="divide-y divide-line">
            {agents.map(({ id, name, version }) => (
              <li key={id} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
                <Link
                  to="/agents/$id"
                  params={{ id }}
                  search={home}
                  className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
                >
                  {name}
                </Link>
                <span className="text-sm text-soft">version {version}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  );
}

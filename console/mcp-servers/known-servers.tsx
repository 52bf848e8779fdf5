// MCP servers that agents, sessions and calls name by an address, and those of the workspace that are there.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { McpServer } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { isSameAddress, mcpServerQueries } from "./mcp-servers.ts";

/** Of several at one address, the newest; undefined where there is none, or none that the person may use. */
export function useServerAt(url: string | undefined): McpServer | undefined {
  const { id: workspace } = useWorkspace();
  const mayUse = useMe().permissions.includes("vaults:use");
  const { data = [] } = useQuery({
    ...mcpServerQueries.all(workspace),
    enabled: mayUse && url !== undefined,
  });
  return url === undefined ? undefined : data.find((each) => isSameAddress(each.url, url));
}

/** As the agent calls it; it leads to the server of the workspace. */
export function ServerName({
  name,
  url,
  className = "text-accent underline-offset-2 wrap-anywhere hover:underline",
}: {
  name: string;
  url: string;
  className?: string;
}) {
  const { search } = useWorkspace();
  const at = useServerAt(url);
  if (at === undefined) return name;
  return (
    <Link to="/mcp-servers/$id" params={{ id: at.id }} search={search} className={className}>
      {name}
    </Link>
  );
}

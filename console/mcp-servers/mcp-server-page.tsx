// One MCP server: whether it answers, what it has been, and its tools.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { Card, Section } from "../kit/page/page-header.tsx";
import type { Search } from "../kit/page/search.ts";
import type { McpServer } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { Badge } from "../kit/value/badge.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { serverActs } from "./mcp-server-acts.tsx";
import { ServerAgents } from "./server-agents.tsx";
import { healthWords, mcpServerQueries, type Workspace } from "./mcp-servers.ts";
import { Tools } from "./tools/tools.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const read = useQuery(mcpServerQueries.one(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(mcpServerQueries.one(other, id)),
  );
  const toList = () => void navigate({ to: "/mcp-servers", search: home });
  return (
    <DetailPage
      back={{ to: "/mcp-servers", search: home, label: "All MCP servers" }}
      noun="MCP server"
      menuOf={() => "More for this MCP server"}
      read={read}
      isLooking={isLooking}
      titleOf={({ name }) => name}
      aboutOf={({ description }) => description}
      actsOf={(server) => serverActs(server, workspace, toList)}
    >
      {(server) => (
        <>
          <ServerFacts server={server} workspace={workspace} home={home} />
          <Tools server={server} workspace={workspace} />
          <ServerAgents server={server} workspace={workspace} home={home} />
          <Versions server={server} />
        </>
      )}
    </DetailPage>
  );
}

function ServerFacts({
  server,
  workspace,
  home,
}: {
  server: McpServer;
  workspace: Workspace;
  home: Search;
}) {
  const { health, vault_id: vault } = server;
  const { word, tone } = healthWords[health.status];
  return (
    <Facts>
      <FactRow name="Health">
        <Badge tone={tone}>{word}</Badge>
        {health.last_asked_at !== null && (
          <>
            {" "}
            Asked <Time at={health.last_asked_at} />, answered last{" "}
            <Time at={health.last_connected_at} never="never" />.
          </>
        )}
        {health.last_error !== null && (
          <span className="block wrap-anywhere">{health.last_error}</span>
        )}
      </FactRow>
      <FactRow name="Address">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <code className="font-mono text-sm break-all">{server.url}</code>
          <CopyButton text={server.url} label="Copy address" />
        </span>
      </FactRow>
      <FactRow name="Vault">
        {vault === null ? (
          <span className="text-soft">None: it is asked without a token.</span>
        ) : (
          <VaultLink id={vault} workspace={workspace} home={home} />
        )}
      </FactRow>
      <IdRow id={server.id} />
      <FactRow name="Added">
        <Time at={server.created_at} />
      </FactRow>
    </Facts>
  );
}

function VaultLink({ id, workspace, home }: { id: string; workspace: Workspace; home: Search }) {
  const { data: vaults } = useQuery(mcpServerQueries.vaults(workspace));
  const name = vaults?.find((each) => each.id === id)?.display_name ?? id;
  return (
    <Link
      to="/vaults/$id"
      params={{ id }}
      search={home}
      className="text-accent wrap-anywhere underline-offset-2 hover:underline"
    >
      {name}
    </Link>
  );
}

function Versions({ server: { versions } }: { server: McpServer }) {
  if (versions.length === 0) return null;
  return (
    <Section title="Versions seen" note="What the server said it is, the one seen last first.">
      <Card className="p-0!">
        <ul aria-label="Versions seen" className="divide-y divide-line">
          {versions.map(({ name, version, revision, first_seen_at: first, last_seen_at: last }) => (
            <li
              key={`${name}\n${version}\n${revision}`}
              className="flex flex-wrap items-center gap-x-4 px-4 py-2"
            >
              <span className="min-w-0 flex-1 basis-52 font-medium wrap-anywhere">
                {name} {version}
              </span>
              <span className="text-sm text-soft">MCP {revision}</span>
              <span className="text-sm text-soft">
                <Time at={first} isShort /> to <Time at={last} isShort />
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

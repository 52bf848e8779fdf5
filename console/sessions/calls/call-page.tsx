// The page of a tool at a call of it: shown to a person who wants to see it, by the server of the workspace.
import { useQuery } from "@tanstack/react-query";
import { AppWindow } from "lucide-react";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { Button } from "../../kit/page/button.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { McpServer, SessionEvent } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { useServerAt } from "../../mcp-servers/known-servers.tsx";
import { mcpServerQueries, type Workspace } from "../../mcp-servers/mcp-servers.ts";
import { ToolPage, type Shown } from "../../mcp-servers/pages/tool-page.tsx";
import { blocksOf, words } from "../events/content.ts";

interface Called {
  event: SessionEvent;
  result: SessionEvent;
}

/** Nothing is asked of the server before. */
export function CallPage({ event, result }: Called) {
  const { id: workspace } = useWorkspace();
  const page = event["tool_page"] as { server_url: string } | undefined;
  const at = useServerAt(page?.server_url);
  if (at === undefined) return null;
  const name = words(event["name"]);
  const show = () =>
    openDialog({
      title: `Page of ${name}`,
      description: "It has what the tool was given in this session, and what it answered.",
      wide: true,
      body: <CalledToolPage event={event} result={result} at={at} workspace={workspace} />,
    });
  return (
    <div className="border-t border-line px-4 py-2">
      <Button aria-label={`Show the page of ${name}, call ${event.id.slice(-6)}`} onClick={show}>
        <AppWindow size={16} aria-hidden />
        Show
      </Button>
    </div>
  );
}

function CalledToolPage({
  event,
  result,
  at,
  workspace,
}: Called & { at: McpServer; workspace: Workspace }) {
  const { data, error } = useQuery(mcpServerQueries.tools(workspace, at));
  if (error !== null) return <TroubleBox error={error} />;
  if (data === undefined) return <p className="text-soft">Asking the server…</p>;
  if (data.error !== null) return <p className="text-bad wrap-anywhere">{data.error}</p>;
  const tool = data.tools.find(({ name }) => name === event["name"]);
  if (tool === undefined || tool.page_uri === null)
    return <p className="text-soft">The server has no page for this tool any more.</p>;
  const input = (event["input"] ?? {}) as Shown["input"];
  const { tools } = data;
  return <ToolPage {...{ tool, tools, at, workspace, input }} result={resultOf(result)} />;
}

type Content = Shown["result"]["content"][number];

const resultOf = (result: SessionEvent): Shown["result"] => ({
  content: blocksOf(result["content"]).filter(
    ({ type }) => type === "text" || type === "image",
  ) as unknown as Content[],
  structured_content: (result["structured_content"] ??
    null) as Shown["result"]["structured_content"],
  is_error: result["is_error"] === true,
});

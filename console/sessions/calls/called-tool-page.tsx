// The page of a tool with what the events of a call have for it, once its server has said that there is one.
import { useQuery } from "@tanstack/react-query";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { McpServer, SessionEvent } from "../../kit/server/api.ts";
import { mcpServerQueries, type Workspace } from "../../mcp-servers/mcp-servers.ts";
import { ToolPage, type Shown } from "../../mcp-servers/pages/tool-page.tsx";
import { blocksOf } from "../events/content.ts";

export interface Called {
  event: SessionEvent;
  result: SessionEvent;
}

export function CalledToolPage({
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

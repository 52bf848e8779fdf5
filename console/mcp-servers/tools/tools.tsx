// The tools of an MCP server, asked for now: what each is given, what has changed, and a way to try it.
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../kit/page/button.tsx";
import { Card, Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { McpServer, McpServerTools } from "../../kit/server/api.ts";
import { jsonText } from "../../kit/text/json.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { connectServer } from "../connect.tsx";
import { mcpServerQueries, statusWords, type Workspace } from "../mcp-servers.ts";
import { inputFields } from "./input-fields.ts";
import { tryTool } from "./try-tool.tsx";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

export type ServerTool = McpServerTools["tools"][number];

export function Tools({ server, workspace }: { server: McpServer; workspace: Workspace }) {
  const { data, error, isFetching, refetch } = useQuery(mcpServerQueries.tools(workspace, server));
  return (
    <Section
      title="Tools"
      note="As the server has them now."
      actions={
        <Button busy={isFetching} onClick={() => void refetch()}>
          Ask again
        </Button>
      }
    >
      <div className="grid gap-3" aria-live="polite">
        {error !== null && <TroubleBox error={error} />}
        {data === undefined && error === null && <RowsSkeleton rows={3} />}
        {data !== undefined && (
          <>
            <Answer found={data} />
            {data.status === "unauthorized" && (
              <p>
                <Button look="primary" onClick={() => connectServer(server, workspace)}>
                  Connect by OAuth
                </Button>
              </p>
            )}
            <ToolList found={data} onTry={(tool) => tryTool(tool, data.tools, server, workspace)} />
          </>
        )}
      </div>
    </Section>
  );
}

function Answer({ found }: { found: McpServerTools }) {
  const { status, error, server, latency_ms: ms, changes, has_more: hasMore } = found;
  const { word, tone } = statusWords[status];
  return (
    <>
      <p className="wrap-anywhere">
        <Badge tone={tone}>{word}</Badge>{" "}
        <span className="text-sm text-soft">
          {server !== null && `${server.name} ${server.version}, MCP ${server.revision}, `}
          {ms.toLocaleString("en")} ms
        </span>
      </p>
      {error !== null && (
        <p role="alert" className="text-bad wrap-anywhere">
          <WithRequestIds text={error} />
        </p>
      )}
      {changes !== null && <Changes changes={changes} />}
      {hasMore && (
        <p className="text-soft">
          It has more tools, which are too many, too large, or cannot be read.
        </p>
      )}
    </>
  );
}

function Changes({ changes }: { changes: NonNullable<McpServerTools["changes"]> }) {
  const parts = (
    [
      ["New", changes.added],
      ["Changed", changes.changed],
      ["Gone", changes.removed],
    ] as const
  ).filter(([, names]) => names.length > 0);
  if (parts.length === 0)
    return <p className="text-sm text-soft">Nothing has changed since it was asked last.</p>;
  return (
    <dl
      aria-label="Changes since it was asked last"
      className="grid gap-x-4 gap-y-1 rounded-lg bg-warn-soft p-3 sm:grid-cols-[auto_1fr]"
    >
      {parts.map(([title, names]) => (
        <div key={title} className="contents">
          <dt className="font-medium text-warn">{title}</dt>
          <dd className="font-mono text-sm text-ink wrap-anywhere">{names.join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}

function ToolList({
  found: { tools, changes, status },
  onTry,
}: {
  found: McpServerTools;
  onTry: (tool: ServerTool) => void;
}) {
  if (tools.length === 0)
    return status === "connected" && <p className="text-soft">The server has no tools.</p>;
  return (
    <Card className="p-0!">
      <ul aria-label="Tools" className="divide-y divide-line">
        {tools.map((tool) => (
          <li key={tool.name} className="grid gap-2 px-4 py-3">
            <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
              <h3 className="min-w-0 flex-1 basis-52 font-mono text-sm font-medium wrap-anywhere">
                {tool.name}{" "}
                {changes?.added.includes(tool.name) === true && <Badge tone="warn">New</Badge>}
                {changes?.changed.includes(tool.name) === true && (
                  <Badge tone="warn">Changed</Badge>
                )}
              </h3>
              <Button aria-label={`Try ${tool.name}`} onClick={() => onTry(tool)}>
                Try
              </Button>
            </div>
            {tool.description !== "" && (
              <p className="max-w-[80ch] text-soft whitespace-pre-line wrap-anywhere">
                {tool.description}
              </p>
            )}
            <Input tool={tool} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Input({ tool }: { tool: ServerTool }) {
  const fields = inputFields(tool.input_schema).filter(({ kind }) => kind !== "whole");
  return (
    <>
      {fields.length > 0 && (
        <ul aria-label={`Input of ${tool.name}`} className="grid gap-1">
          {fields.map(({ name, type, required, description }) => (
            <li key={name} className="text-sm wrap-anywhere">
              <span className="font-mono">{name}</span>{" "}
              <span className="text-soft">
                {type}
                {required ? ", required" : ""}
                {description === undefined ? "" : `: ${description}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary className="text-sm text-soft">Schema</summary>
        <pre
          tabIndex={0}
          role="region"
          aria-label={`Schema of ${tool.name}`}
          className="mt-1 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-sm leading-5"
        >
          {jsonText(tool.input_schema)}
        </pre>
      </details>
    </>
  );
}

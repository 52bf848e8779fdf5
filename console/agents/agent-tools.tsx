// The tools of an agent, to read: which are on, and which ask first.
import type { ReactNode } from "react";
import { Card } from "../kit/page/page-header.tsx";
import type { Agent } from "../kit/server/api.ts";
import { jsonText } from "../kit/text/json.ts";
import { Badge } from "../kit/value/badge.tsx";
import { ServerName } from "../mcp-servers/known-servers.tsx";
import {
  behaviourOf,
  builtInNames,
  builtInTools,
  policyWords,
  type AgentTool,
  type BuiltInToolset,
  type Policy,
} from "./agents.ts";

export function AgentTools({ agent: { tools, mcp_servers: servers } }: { agent: Agent }) {
  return (
    <Card className="p-0!">
      <ul aria-label="Tools" className="divide-y divide-line">
        {tools.map((tool, at) => (
          <Tool key={at} tool={tool} servers={servers} />
        ))}
      </ul>
    </Card>
  );
}

function Tool({ tool, servers }: { tool: AgentTool; servers: Agent["mcp_servers"] }) {
  if (tool.type === "agent_toolset_20260401")
    return builtInNames.map((name) => <BuiltIn key={name} name={name} toolset={tool} />);
  if (tool.type === "custom")
    return (
      <Row name={tool.name} note={<span className="line-clamp-3">{tool.description}</span>}>
        <Badge>Custom</Badge>
        <details className="basis-full">
          <summary className="text-sm text-soft">Its input</summary>
          <pre
            tabIndex={0}
            role="region"
            aria-label={`Input of ${tool.name}`}
            className="mt-1 overflow-x-auto rounded-md bg-sunken p-3 font-mono text-sm leading-5"
          >
            {jsonText(tool.input_schema)}
          </pre>
        </details>
      </Row>
    );
  const { mcp_server_name: name, default_config: usual, configs } = tool;
  const url = servers.find((server) => server.name === name)?.url ?? "";
  return (
    <Row name={<ServerName name={name} url={url} />} note={url}>
      <Badge>MCP server</Badge>
      <Behaviour {...usual} />
      {configs.length > 0 && (
        <ul className="grid basis-full gap-0.5">
          {configs.map((each) => (
            <li key={each.name} className="flex flex-wrap items-center gap-x-3">
              <span className="font-mono text-sm">{each.name}</span>
              <Behaviour {...each} />
            </li>
          ))}
        </ul>
      )}
    </Row>
  );
}

function Row({ name, note, children }: { name: ReactNode; note: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-52">
        <span className="font-mono text-sm wrap-anywhere">{name}</span>{" "}
        <span className="text-sm text-soft wrap-anywhere">{note}</span>
      </span>
      {children}
    </li>
  );
}

function BuiltIn({ name, toolset }: { name: keyof typeof builtInTools; toolset: BuiltInToolset }) {
  const config = toolset.configs.find((each) => each.name === name);
  return (
    <Row name={name} note={[builtInTools[name], domainsText(config)].filter(Boolean).join(". ")}>
      <Behaviour {...behaviourOf(toolset, name)} />
    </Row>
  );
}

function domainsText(config: BuiltInToolset["configs"][number] | undefined): string {
  if (config?.name !== "web_search" && config?.name !== "web_fetch") return "";
  const { allowed_domains: allowed, blocked_domains: blocked } = config;
  if (allowed !== undefined) return `Only ${allowed.join(", ")}`;
  return blocked === undefined ? "" : `Not ${blocked.join(", ")}`;
}

function Behaviour({
  enabled,
  permission_policy: { type },
}: {
  enabled: boolean;
  permission_policy: { type: Policy };
}) {
  if (!enabled) return <span className="text-sm text-soft">Off</span>;
  return (
    <span className={`text-sm ${type === "always_allow" ? "text-soft" : ""}`}>
      {policyWords[type]}
    </span>
  );
}

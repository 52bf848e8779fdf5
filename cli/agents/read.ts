// `plinth agents list`, `show` and `versions`.
import { isDeepStrictEqual } from "node:util";
import type { Agent } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey, printPage, type ListFlags, type PageFlags } from "../workspace-calls.ts";
import { membersOf, modelOf, toolsOf } from "./format.ts";
import type { VersionFlags } from "./options.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, page: cursor, archived = false } = flags;
  const query = { limit, page: cursor, include_archived: archived };
  const page = await askWithApiKey(terminal, flags, (client) => client.agents.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "MODEL", "VERSION", "CHANGED", "ARCHIVED"],
    row: (agent) => [
      agent.id,
      escapeControls(agent.name),
      modelOf(agent),
      String(agent.version),
      formatDate(agent.updated_at),
      formatDate(agent.archived_at),
    ],
    none: "There are no agents here.",
  });
}

export async function show(
  terminal: Terminal,
  id: string,
  flags: Flags & VersionFlags,
): Promise<void> {
  const input = { params: { agent_id: id }, query: { version: flags.version } };
  const found = await askWithApiKey(terminal, flags, (client) => client.agents.retrieve(input));
  printResult(terminal, flags, found, () => agentDetails(found));
}

function agentDetails(agent: Agent): string {
  const { description, mcp_servers: servers, skills, metadata, system } = agent;
  const facts: [string, string][] = [
    ["id", agent.id],
    ["name", agent.name],
    ["description", description ?? "-"],
    ["version", String(agent.version)],
    ["model", modelOf(agent)],
    ["tools", toolsOf(agent).join(", ") || "-"],
    ...servers.map(({ name, url }): [string, string] => ["MCP server", `${name}: ${url}`]),
    ...skills.map((skill): [string, string] => ["skill", `${skill.skill_id}@${skill.version}`]),
    ...membersOf(agent).map((member): [string, string] => ["member", member]),
    ...Object.entries(metadata).map((pair): [string, string] => ["metadata", pair.join("=")]),
    ["runs as", identityOf(agent)],
    ["created", agent.created_at],
    ["changed", agent.updated_at],
    ...(agent.archived_at === null ? [] : [["archived", agent.archived_at] as [string, string]]),
  ];
  // A line of its own for each fact: a description may have several.
  const shown = facts.map(([name, value]) => [name, oneLine(value)] as const);
  const prompt = system === null ? "" : `\n${escapeControls(system).trimEnd()}\n`;
  return `${detailsTable(shown)}${prompt}`;
}

const oneLine = (text: string) => escapeControls(text.replaceAll(/\s+/g, " "));

const identityOf = ({ execution_identity: identity }: Agent): string =>
  identity.type === "aws_role" ? identity.role_arn : "its service account";

export async function versions(terminal: Terminal, id: string, flags: PageFlags): Promise<void> {
  const { limit, page: cursor } = flags;
  const params = { agent_id: id };
  await askWithApiKey(terminal, flags, async (client) => {
    const page = await client.agents.versions.list({ params, query: { limit, page: cursor } });
    // What the last one changed shows in the one before it, which stands on the next page.
    const query = { limit: 1, page: page.next_page ?? undefined };
    const isCompared = page.next_page !== null && flags.json !== true;
    const older = isCompared ? (await client.agents.versions.list({ params, query })).data : [];
    const all = [...page.data, ...older];
    printPage(terminal, flags, page, {
      titles: ["VERSION", "MADE", "MODEL", "CHANGED"],
      row: (version, index) => [
        String(version.version),
        version.updated_at,
        modelOf(version),
        changesOf(version, all[index + 1]),
      ],
      none: "There are no more versions.",
    });
  });
}

const isOfVersion: ReadonlySet<string> = new Set(["version", "updated_at", "system_prompt"]);

function changesOf(agent: Agent, before: Agent | undefined): string {
  if (before === undefined) return "-";
  const fields = Object.keys(agent) as (keyof Agent)[];
  const changed = fields.filter(
    (field) => !isOfVersion.has(field) && !isDeepStrictEqual(agent[field], before[field]),
  );
  return changed.join(", ");
}

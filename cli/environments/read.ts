// `plinth environments list` and `show`.
import type { Environment } from "../../contract/types.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import type { Terminal } from "../terminal.ts";
import { askWithApiKey, printPage, type ListFlags } from "../workspace-calls.ts";
import { packageManagers } from "./options.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, page: cursor, archived = false } = flags;
  const query = { limit, page: cursor, include_archived: archived };
  const page = await askWithApiKey(terminal, flags, (client) =>
    client.environments.list({ query }),
  );
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "TYPE", "NETWORKING", "PACKAGES", "CREATED", "ARCHIVED"],
    row: (environment) => [
      environment.id,
      escapeControls(environment.name),
      environment.config.type,
      networkingOf(environment)[0] ?? "-",
      packagesOf(environment)
        .map(([manager]) => manager)
        .join(",") || "-",
      formatDate(environment.created_at),
      formatDate(environment.archived_at),
    ],
    none: "There are no environments here.",
  });
}

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { environment_id: id };
  const found = await askWithApiKey(terminal, flags, (client) =>
    client.environments.retrieve({ params }),
  );
  printResult(terminal, flags, found, () => environmentDetails(found));
}

function environmentDetails(environment: Environment): string {
  const { metadata, archived_at: archived } = environment;
  const facts: [string, string][] = [
    ["id", environment.id],
    ["name", environment.name],
    ["description", environment.description ?? "-"],
    ["type", environment.config.type],
    ...networkingOf(environment).map((fact): [string, string] => ["networking", fact]),
    ...packagesOf(environment).map(([manager, names]): [string, string] => [
      manager,
      names.join(" "),
    ]),
    ...Object.entries(metadata).map((pair): [string, string] => ["metadata", pair.join("=")]),
    ["created", environment.created_at],
    ["changed", environment.updated_at],
    ...(archived === null ? [] : [["archived", archived] as [string, string]]),
  ];
  return detailsTable(
    facts.map(([name, value]) => [name, escapeControls(value.replaceAll(/\s+/g, " "))] as const),
  );
}

/** The type, then what limited networking allows; nothing of a worker's own network. */
function networkingOf({ config }: Environment): string[] {
  if (config.type === "self_hosted") return [];
  const { networking } = config;
  if (networking.type === "unrestricted") return [networking.type];
  return [
    networking.type,
    ...networking.allowed_hosts,
    ...(networking.allow_mcp_servers ? ["MCP servers of agents"] : []),
    ...(networking.allow_package_managers ? ["package managers"] : []),
  ];
}

function packagesOf({ config }: Environment): [string, string[]][] {
  if (config.type === "self_hosted") return [];
  return packageManagers
    .map((manager): [string, string[]] => [manager, config.packages[manager]])
    .filter(([, names]) => names.length > 0);
}

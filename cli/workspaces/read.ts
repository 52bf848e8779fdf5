// `plinth workspaces list` and `show`.
import type { Workspace } from "../../contract/types.ts";
import { askAsAdmin, noteMore } from "../administration.ts";
import type { Flags } from "../options.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { escapeControls } from "../print-answer.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import type { ListFlags } from "./options.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const query = {
    limit: flags.limit,
    after_id: flags.after,
    include_default: true,
    include_archived: flags.archived ?? false,
  };
  const page = await askAsAdmin(terminal, flags, (client) => client.workspaces.list({ query }));
  printResult(terminal, flags, page, () => listTable(terminal, titles, page.data.map(row)));
  noteMore(terminal, flags, page);
}

const titles = ["ID", "NAME", "TAGS", "INFERENCE", "CREATED", "ARCHIVED"];

const row = (workspace: Workspace): string[] => [
  workspace.id,
  escapeControls(workspace.name),
  tagsOf(workspace),
  placesOf(workspace),
  formatDate(workspace.created_at),
  formatDate(workspace.archived_at),
];

const tagsOf = ({ tags }: Workspace): string =>
  Object.entries(tags)
    .map(([key, value]) => escapeControls(`${key}=${value}`))
    .join(" ") || "-";

function placesOf({ data_residency: { allowed_inference_geos: allowed } }: Workspace): string {
  return allowed === "unrestricted" ? "any" : allowed.join(",");
}

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { workspace_id: id };
  const found = await askAsAdmin(terminal, flags, (client) =>
    client.workspaces.retrieve({ params }),
  );
  printResult(terminal, flags, found, () => workspaceDetails(found));
}

export const workspaceDetails = (workspace: Workspace): string =>
  detailsTable([
    ["id", workspace.id],
    ["name", escapeControls(workspace.name)],
    ["colour", workspace.display_color],
    ["tags", tagsOf(workspace)],
    [
      "inference",
      `${placesOf(workspace)}, by default ${workspace.data_residency.default_inference_geo}`,
    ],
    ["data", workspace.data_residency.workspace_geo],
    ["created", workspace.created_at],
    ...(workspace.archived_at === null ? [] : [["archived", workspace.archived_at] as const]),
  ]);

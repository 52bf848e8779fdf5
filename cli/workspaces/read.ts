// `plinth workspaces list` and `show`.
import type { Workspace } from "../../contract/types.ts";
import { ask, date, factsTable, noteMore, tell, type Flags } from "../organization.ts";
import { harmless } from "../print-answer.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import type { ListFlags } from "../workspaces.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const query = {
    limit: flags.limit,
    after_id: flags.after,
    include_default: true,
    include_archived: flags.archived ?? false,
  };
  const page = await ask(terminal, flags, (client) => client.workspaces.list({ query }));
  tell(terminal, flags, page, () => table([titles, ...page.data.map(row)]));
  const command = `workspaces list${flags.archived === true ? " --archived" : ""}`;
  noteMore(terminal, flags, page, command);
}

const titles = ["ID", "NAME", "TAGS", "INFERENCE", "CREATED", "ARCHIVED"];

const row = (workspace: Workspace): string[] => [
  workspace.id,
  harmless(workspace.name),
  tagsOf(workspace),
  placesOf(workspace),
  date(workspace.created_at),
  date(workspace.archived_at),
];

const tagsOf = ({ tags }: Workspace): string =>
  Object.entries(tags)
    .map(([key, value]) => harmless(`${key}=${value}`))
    .join(" ") || "-";

function placesOf({ data_residency: { allowed_inference_geos: allowed } }: Workspace): string {
  return allowed === "unrestricted" ? "any" : allowed.join(",");
}

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { workspace_id: id };
  const found = await ask(terminal, flags, (client) => client.workspaces.retrieve({ params }));
  tell(terminal, flags, found, () => factsOf(found));
}

export const factsOf = (workspace: Workspace): string =>
  factsTable([
    ["id", workspace.id],
    ["name", harmless(workspace.name)],
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

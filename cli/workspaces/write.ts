// `plinth workspaces create`, `update` and `archive`.
import { confirmByName } from "../confirm.ts";
import { askAsAdmin } from "../administration.ts";
import type { YesFlags } from "../options.ts";
import { printResult } from "../print-result.ts";
import { escapeControls } from "../print-answer.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import type { WorkspaceFlags } from "./options.ts";
import { workspaceDetails } from "./read.ts";

/** A list of one region makes that the default, unless another is named. */
function residencyOf({ allow, defaultGeo }: WorkspaceFlags) {
  const [only, ...more] = Array.isArray(allow) ? allow : [];
  const geo = defaultGeo ?? (more.length === 0 ? only : undefined);
  return {
    ...(allow !== undefined && { allowed_inference_geos: allow }),
    ...(geo !== undefined && { default_inference_geo: geo }),
  };
}

export async function create(
  terminal: Terminal,
  name: string,
  flags: WorkspaceFlags,
): Promise<void> {
  const body = {
    name,
    data_residency: residencyOf(flags),
    ...(flags.color !== undefined && { display_color: flags.color }),
    ...(flags.tag !== undefined && { tags: flags.tag }),
  };
  const made = await askAsAdmin(terminal, flags, (client) => client.workspaces.create({ body }));
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function update(terminal: Terminal, id: string, flags: WorkspaceFlags): Promise<void> {
  const gone = Object.fromEntries((flags.untag ?? []).map((key) => [key, null]));
  const tags = { ...gone, ...flags.tag };
  const residency = residencyOf(flags);
  const body = {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.color !== undefined && { display_color: flags.color }),
    ...(Object.keys(tags).length > 0 && { tags }),
    ...(Object.keys(residency).length > 0 && { data_residency: residency }),
  };
  if (Object.keys(body).length === 0)
    throw new CliError(
      "Say what to change: --name, --color, --tag, --untag, --allow or --default-geo.",
      exitCodes.usage,
    );
  const params = { workspace_id: id };
  const changed = await askAsAdmin(terminal, flags, (client) =>
    client.workspaces.update({ params, body }),
  );
  printResult(terminal, flags, changed, () => workspaceDetails(changed));
}

export async function archive(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const params = { workspace_id: id };
  if (flags.yes !== true) {
    const found = await askAsAdmin(terminal, flags, (client) =>
      client.workspaces.retrieve({ params }),
    );
    const name = escapeControls(found.name);
    terminal.note(
      `${name} (${id})\nIts API keys stop working at once, its batches are canceled, and its files and memory\n` +
        "stores are reached by nobody any more. That cannot be undone.\n",
    );
    await confirmByName(terminal, name, "Nothing was archived.");
  }
  const archived = await askAsAdmin(terminal, flags, (client) =>
    client.workspaces.archive({ params }),
  );
  printResult(terminal, flags, archived, () => `archived ${id}\n`);
}

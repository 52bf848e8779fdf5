// `plinth files list`: the workspace's files as a table.
import type { FileMetadata } from "../../contract/types.ts";
import type { ListFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { formatDuration, formatSize } from "../format.ts";
import { expiresIn, nameOf } from "./format.ts";
import { noteNextPage } from "../next-page.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const query = { limit: flags.limit, after_id: flags.after };
  const page = await withServerErrors(client, () => client.files.list({ query }));
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(page)}\n`);
    return;
  }
  if (page.data.length === 0) terminal.note("There are no files here.\n");
  else terminal.write(tableOf(page.data, terminal));
  if (page.has_more && page.last_id !== null)
    noteNextPage(terminal, flags, "--after", page.last_id);
}

const titles = ["ID", "NAME", "TYPE", "SIZE", "AGE", "EXPIRES IN", "DOWNLOADABLE"];

const tableOf = (files: readonly FileMetadata[], { clock, isPerson }: Terminal): string =>
  table([titles, ...files.map((file) => row(file, clock.now(), isPerson.output))]);

const nameCharacters = 40;

/** One long name must not make the table too wide to read; piped output stays whole. */
function row(file: FileMetadata, now: Date, isPerson: boolean): string[] {
  const name = nameOf(file);
  return [
    file.id,
    isPerson && name.length > nameCharacters ? `${name.slice(0, nameCharacters - 1)}…` : name,
    file.mime_type,
    formatSize(file.size_bytes),
    formatDuration(now.getTime() - Date.parse(file.created_at)),
    expiresIn(file, now),
    file.downloadable ? "yes" : "no",
  ];
}

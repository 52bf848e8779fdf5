// `plinth files list`: the workspace's files as a table.
import type { FileMetadata } from "../../contract/types.ts";
import type { ListFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { listTable } from "../table.ts";
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

const tableOf = (files: readonly FileMetadata[], terminal: Terminal): string =>
  listTable(
    terminal,
    titles,
    files.map((file) => row(file, terminal.clock.now())),
  );

function row(file: FileMetadata, now: Date): string[] {
  return [
    file.id,
    nameOf(file),
    file.mime_type,
    formatSize(file.size_bytes),
    formatDuration(now.getTime() - Date.parse(file.created_at)),
    expiresIn(file, now),
    file.downloadable ? "yes" : "no",
  ];
}

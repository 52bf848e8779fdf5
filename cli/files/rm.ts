// `plinth files rm`: shows the files and what deletion means, asks, deletes.
import type { FileMetadata } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { RmFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { formatCount } from "../../client/text/words.ts";
import { formatSize } from "../format.ts";
import { nameOf } from "./format.ts";

export async function rm(
  terminal: Terminal,
  names: readonly string[],
  flags: RmFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const ids = [...new Set(names)];
  // A missing file refuses all, before anything is deleted.
  const files: FileMetadata[] = [];
  for (const id of ids)
    files.push(
      await withServerErrors(client, () =>
        client.files.retrieve_metadata({ params: { file_id: id } }),
      ),
    );
  if (flags.yes !== true) {
    terminal.note(consequence(files));
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const deleted: string[] = [];
  try {
    for (const id of ids) {
      await withServerErrors(client, () => client.files.delete({ params: { file_id: id } }));
      deleted.push(id);
      if (flags.json !== true && flags.quiet !== true) terminal.write(`deleted ${id}\n`);
    }
  } catch (error) {
    if (!(error instanceof CliError) || ids.length === 1) throw error;
    const soFar = `${formatCount(deleted.length)} of ${formatCount(ids.length)} are deleted.`;
    throw new CliError(`${error.message} ${soFar}`, error.exitCode);
  } finally {
    if (flags.json === true) terminal.write(`${JSON.stringify({ deleted })}\n`);
  }
}

function consequence(files: readonly FileMetadata[]): string {
  const lines = files.map(
    (file) => `${file.id}  ${nameOf(file)}, ${formatSize(file.size_bytes)}\n`,
  );
  return (
    `${lines.join("")}Messages that name ${files.length === 1 ? "it" : "them"} will be refused, and so ` +
    "will requests of batches that have not run yet. That cannot be undone.\n"
  );
}

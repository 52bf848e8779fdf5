// `plinth files show`: the facts of one file.
import type { FileMetadata } from "../../contract/types.ts";
import type { Flags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { plural } from "../../client/text/words.ts";
import { formatDuration } from "../format.ts";
import { nameOf, nextCommand } from "./format.ts";

export async function show(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const file = await withServerErrors(client, () =>
    client.files.retrieve_metadata({ params: { file_id: id } }),
  );
  terminal.write(
    flags.json === true
      ? `${JSON.stringify(file)}\n`
      : table(factsOf(file, terminal.clock.now(), flags)),
  );
}

function factsOf(file: FileMetadata, now: Date, flags: Flags): string[][] {
  const { id, mime_type: type, size_bytes: bytes, created_at: created, scope } = file;
  return [
    ["id", id],
    ["name", nameOf(file)],
    ["type", type],
    ["size", plural(bytes, "byte")],
    ["created", created],
    ["expires", expiryOf(file, now)],
    [
      "downloadable",
      file.downloadable
        ? `yes: ${nextCommand(`get ${id}`, flags)}`
        : "no: it was uploaded; people download it in the console",
    ],
    ...(scope === null ? [] : [[scope.type, scope.id]]),
  ];
}

function expiryOf({ expires_at: at }: FileMetadata, now: Date): string {
  if (at === null) return "never";
  const left = Date.parse(at) - now.getTime();
  return left <= 0 ? `${at}: its content is gone` : `${at}, in ${formatDuration(left)}`;
}

// `plinth memory get`: the bytes of a memory, present or past.
import { writeFile } from "node:fs/promises";
import type { GetFlags } from "./options.ts";
import { fileError } from "../file-error.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import type { Terminal } from "../terminal.ts";
import { formatSize } from "../format.ts";
import { expectMemory, findStore, textOf, versionAt } from "./find.ts";
import type { MemoryAddress } from "./memory-address.ts";

export async function get(
  terminal: Terminal,
  address: MemoryAddress,
  flags: GetFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { version, out } = flags;
  const found = await withServerErrors(client, async () => {
    const { id } = await findStore(client, address.store, flags);
    if (version !== undefined) return versionAt(client, id, address, version);
    const { id: memoryId } = await expectMemory(client, id, address, flags);
    const params = { memory_store_id: id, memory_id: memoryId };
    return client.memory_stores.memories.retrieve({ params });
  });
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(found)}\n`);
    return;
  }
  const text = found.type === "memory" ? (found.content ?? "") : textOf(found);
  if (out === undefined) {
    // An agent may have written it: no control character of it reaches the terminal.
    await terminal.writeBytes(Buffer.from(terminal.isPerson.output ? escapeControls(text) : text));
    return;
  }
  await writeFile(out, text).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, out);
  });
  if (flags.quiet !== true)
    terminal.note(`${terminal.dim(`${formatSize(Buffer.byteLength(text))} in ${out}.`)}\n`);
}

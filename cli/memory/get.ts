// `plinth memory get`: the bytes of a memory, as it is or as it was.
import { writeFile } from "node:fs/promises";
import type { GetFlags } from "../memory.ts";
import { fileError } from "../file-trouble.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../speak.ts";
import type { Terminal } from "../terminal.ts";
import { formatSize } from "../words.ts";
import { expectMemory, findStore, textOf, versionAt } from "./find.ts";
import type { MemoryAddress } from "./store-path.ts";

export async function get(terminal: Terminal, place: MemoryAddress, flags: GetFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { version, out } = flags;
  const found = await withServerErrors(client, async () => {
    const { id } = await findStore(client, place.store, flags);
    if (version !== undefined) return versionAt(client, id, place, version);
    const { id: memoryId } = await expectMemory(client, id, place, flags);
    const params = { memory_store_id: id, memory_id: memoryId };
    return client.memory_stores.memories.retrieve({ params });
  });
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(found)}\n`);
    return;
  }
  const text = found.type === "memory" ? (found.content ?? "") : textOf(found);
  if (out === undefined) {
    // An agent may have written it: a terminal obeys nothing in it.
    await terminal.writeBytes(Buffer.from(terminal.isPerson.output ? escapeControls(text) : text));
    return;
  }
  await writeFile(out, text).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, out);
  });
  if (flags.quiet !== true)
    terminal.note(`${terminal.dim(`${formatSize(Buffer.byteLength(text))} in ${out}.`)}\n`);
}

// `plinth memory edit`: a memory in an editor, written back unless it has changed meanwhile.
import type { Client } from "../../contract/client.ts";
import type { Memory } from "../../contract/types.ts";
import type { Flags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { runEditor, editorOf, openDraft, type Draft } from "./editor.ts";
import { findAt, findStore } from "./find.ts";
import { isFolder, nextCommand, formatAddress, type MemoryAddress } from "./memory-address.ts";
import { decodeText } from "./text.ts";
import { isConflict, summary, writeText, type TextWrite, type WriteResult } from "./write.ts";

export async function edit(
  terminal: Terminal,
  address: MemoryAddress,
  flags: Flags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const editor = editorOf(terminal);
  const { storeId, head } = await withServerErrors(client, () => read(client, address, flags));
  const before = Buffer.from(head?.content ?? "");
  const draft = await openDraft(address.path, head?.content ?? "");
  const { code, bytes } = await runEditor(terminal, editor, draft);
  const isChanged = bytes !== undefined && !bytes.equals(before);
  if (!isChanged) await draft.remove();
  if (code !== 0)
    throw new CliError(
      `The editor ${code === null ? "was killed" : `ended with ${code}`}. Nothing was written.${isChanged ? ` Your text is in ${draft.file}.` : ""}`,
    );
  if (!isChanged) return tell(terminal, address, flags, undefined);
  const written = await keepingText(draft, async () => {
    const wanted = {
      storeId,
      path: address.path,
      current: head,
      ...decodeText(bytes, "What you wrote"),
    };
    return withServerErrors(client, () => writeBack(client, wanted, { address, draft, flags }));
  });
  await draft.remove();
  tell(terminal, address, flags, written);
}

interface Read {
  storeId: string;
  /** Undefined for a new memory. */
  head: Memory | undefined;
}

async function read(client: Client, address: MemoryAddress, flags: Flags): Promise<Read> {
  if (isFolder(address))
    throw new CliError(`${formatAddress(address)} is a folder: name a memory.`, exitCodes.usage);
  const { id: storeId } = await findStore(client, address.store, flags);
  const found = await findAt(client, storeId, address.path);
  if (found?.type === "memory_prefix")
    throw new CliError(
      `${formatAddress(address)} is a folder: name a memory in it.`,
      exitCodes.usage,
    );
  if (found === undefined) return { storeId, head: undefined };
  const params = { memory_store_id: storeId, memory_id: found.id };
  return { storeId, head: await client.memory_stores.memories.retrieve({ params }) };
}

interface Edit {
  address: MemoryAddress;
  draft: Draft;
  flags: Flags;
}

async function writeBack(client: Client, wanted: TextWrite, edit: Edit): Promise<WriteResult> {
  try {
    return await writeText(client, wanted);
  } catch (error) {
    if (!(await isConflict(error, client, wanted))) throw error;
    const { address, draft, flags } = edit;
    const now = await findAt(client, wanted.storeId, address.path);
    const diff = nextCommand(["diff", formatAddress(address), "--file", draft.file], flags);
    const put = nextCommand(["put", formatAddress(address), draft.file], flags);
    throw new CliError(
      now === undefined
        ? `${formatAddress(address)} was deleted meanwhile.\nWrite it anew: ${put}`
        : `${formatAddress(address)} was changed meanwhile, and is left as it is now.\nSee both: ${diff}\nWrite yours over it: ${put}`,
    );
  }
}

/** After any error the text is kept, so that the person need not write it twice. */
async function keepingText<T>({ file }: Draft, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const [what = "", ...how] = error.message.split("\n");
    const message = [`${what} Your text is in ${file}.`, ...how].join("\n");
    throw new CliError(message, error.exitCode);
  }
}

function tell(
  terminal: Terminal,
  address: MemoryAddress,
  flags: Flags,
  written: WriteResult | undefined,
): void {
  if (flags.json === true)
    terminal.write(`${JSON.stringify(summary(written === undefined ? [] : [written]))}\n`);
  else if (flags.quiet === true) return;
  else if (written === undefined) terminal.note("Nothing was changed.\n");
  else
    terminal.write(
      `${written.outcome} ${formatAddress(address)} ${written.memory.memory_version_id}\n`,
    );
}

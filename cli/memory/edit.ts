// `plinth memory edit`: a memory in an editor, written back if nobody else has changed it.
import type { Client } from "../../contract/client.ts";
import type { Memory } from "../../contract/types.ts";
import type { Flags } from "../memory.ts";
import { clientOf, speak } from "../speak.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { edited, editorOf, openDraft, type Draft } from "./editor.ts";
import { findAt, findStore } from "./find.ts";
import { isFolder, next, placeText, type Place } from "./store-path.ts";
import { textIn } from "./text.ts";
import { isConflict, summary, writeText, type Wanted, type Written } from "./write.ts";

export async function edit(terminal: Terminal, place: Place, flags: Flags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const editor = editorOf(terminal);
  const { storeId, head } = await speak(client, () => read(client, place, flags));
  const before = Buffer.from(head?.content ?? "");
  const draft = await openDraft(place.path, head?.content ?? "");
  const { code, bytes } = await edited(terminal, editor, draft);
  const isChanged = bytes !== undefined && !bytes.equals(before);
  if (!isChanged) await draft.remove();
  if (code !== 0)
    throw new CliError(
      `The editor ${code === null ? "was killed" : `ended with ${code}`}. Nothing was written.${isChanged ? ` Your text is in ${draft.file}.` : ""}`,
    );
  if (!isChanged) return tell(terminal, place, flags, undefined);
  const written = await keepingText(draft, async () => {
    const wanted = { storeId, path: place.path, head, ...textIn(bytes, "What you wrote") };
    return speak(client, () => writeBack(client, wanted, { place, draft, flags }));
  });
  await draft.remove();
  tell(terminal, place, flags, written);
}

interface Read {
  storeId: string;
  /** Undefined where a new memory begins. */
  head: Memory | undefined;
}

async function read(client: Client, place: Place, flags: Flags): Promise<Read> {
  if (isFolder(place))
    throw new CliError(`${placeText(place)} is a folder: name a memory.`, exitCodes.usage);
  const { id: storeId } = await findStore(client, place.store, flags);
  const found = await findAt(client, storeId, place.path);
  if (found?.type === "memory_prefix")
    throw new CliError(`${placeText(place)} is a folder: name a memory in it.`, exitCodes.usage);
  if (found === undefined) return { storeId, head: undefined };
  const params = { memory_store_id: storeId, memory_id: found.id };
  return { storeId, head: await client.memory_stores.memories.retrieve({ params }) };
}

interface Edit {
  place: Place;
  draft: Draft;
  flags: Flags;
}

async function writeBack(client: Client, wanted: Wanted, edit: Edit): Promise<Written> {
  try {
    return await writeText(client, wanted);
  } catch (error) {
    if (!(await isConflict(error, client, wanted))) throw error;
    const { place, draft, flags } = edit;
    const now = await findAt(client, wanted.storeId, place.path);
    const diff = next(["diff", placeText(place), "--file", draft.file], flags);
    const put = next(["put", placeText(place), draft.file], flags);
    throw new CliError(
      now === undefined
        ? `${placeText(place)} was deleted meanwhile.\nWrite it anew: ${put}`
        : `${placeText(place)} was changed meanwhile, and is left as it is now.\nSee both: ${diff}\nWrite yours over it: ${put}`,
    );
  }
}

/** Whatever goes wrong, nobody has to write it twice. */
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

function tell(terminal: Terminal, place: Place, flags: Flags, written: Written | undefined): void {
  if (flags.json === true)
    terminal.write(`${JSON.stringify(summary(written === undefined ? [] : [written]))}\n`);
  else if (flags.quiet === true) return;
  else if (written === undefined) terminal.note("Nothing was changed.\n");
  else
    terminal.write(`${written.outcome} ${placeText(place)} ${written.memory.memory_version_id}\n`);
}

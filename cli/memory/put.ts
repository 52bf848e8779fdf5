// `plinth memory put`: a file, standard input or a whole folder into a store.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { PutFlags } from "../memory.ts";
import { fileTrouble } from "../file-trouble.ts";
import { clientOf, speak } from "../speak.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { findAt, findStore } from "./find.ts";
import { isFolder, placeText, type Place } from "./store-path.ts";
import { readText } from "./text.ts";
import { putFolder } from "./tree.ts";
import { summary, writeSeen, type Written } from "./write.ts";

export async function put(
  terminal: Terminal,
  place: Place,
  file: string,
  flags: PutFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  if (file !== "-" && (await isDirectory(file)))
    return putFolder(terminal, client, { place, folder: file, flags });
  if (file === "-" && terminal.isPerson.input)
    terminal.note(`${terminal.dim("The text comes from here, up to Ctrl-D.")}\n`);
  const target = targetOf(place, file);
  const text = await readText(terminal, file);
  const written = await speak(client, async () => {
    const store = await findStore(client, place.store, flags);
    const found = await findAt(client, store.id, target.path);
    const head = found?.type === "memory" ? found : undefined;
    const { expect } = flags;
    if (expect !== undefined && head === undefined)
      throw new CliError(`There is no memory at ${placeText(target)}, and --expect wants one.`);
    if (flags.create === true && head !== undefined)
      throw new CliError(
        `${placeText(target)} is there already, and --create writes only what is new.`,
      );
    const wanted = { storeId: store.id, path: target.path, head, ...text };
    const expected = expect === undefined ? {} : { expect };
    return writeSeen(client, { ...wanted, ...expected }, target, flags);
  });
  tell(terminal, written, flags, target);
}

async function isDirectory(file: string): Promise<boolean> {
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw fileTrouble(error, file);
  });
  return facts.isDirectory();
}

/** Into a folder, a file goes under its own name. */
function targetOf(place: Place, file: string): Place {
  if (!isFolder(place)) return place;
  if (file === "-")
    throw new CliError(
      `${placeText(place)} is a folder: say which path the text gets in it.`,
      exitCodes.usage,
    );
  return { ...place, path: place.path + basename(file).normalize("NFC") };
}

function tell(terminal: Terminal, written: Written, flags: PutFlags, place: Place): void {
  const { outcome, memory } = written;
  if (flags.json === true) terminal.write(`${JSON.stringify(summary([written]))}\n`);
  else if (flags.quiet !== true)
    terminal.write(`${outcome} ${placeText(place)} ${memory.memory_version_id}\n`);
}

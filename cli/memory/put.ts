// `plinth memory put`: a file, standard input or a whole folder into a store.
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { PutFlags } from "./options.ts";
import { fileError } from "../file-error.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { findAt, findStore } from "./find.ts";
import { isFolder, formatAddress, type MemoryAddress } from "./memory-address.ts";
import { readText } from "./text.ts";
import { putFolder } from "./put-folder.ts";
import { summary, writeUnlessChanged, type WriteResult } from "./write.ts";

export async function put(
  terminal: Terminal,
  address: MemoryAddress,
  file: string,
  flags: PutFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  if (file !== "-" && (await isDirectory(file)))
    return putFolder(terminal, client, { address, folder: file, flags });
  if (file === "-" && terminal.isPerson.input)
    terminal.note(`${terminal.dim("The text comes from here, up to Ctrl-D.")}\n`);
  const target = targetOf(address, file);
  const text = await readText(terminal, file);
  const written = await withServerErrors(client, async () => {
    const store = await findStore(client, address.store, flags);
    const found = await findAt(client, store.id, target.path);
    const head = found?.type === "memory" ? found : undefined;
    const { expect } = flags;
    if (expect !== undefined && head === undefined)
      throw new CliError(`There is no memory at ${formatAddress(target)}, and --expect wants one.`);
    if (flags.create === true && head !== undefined)
      throw new CliError(
        `${formatAddress(target)} is there already, and --create writes only what is new.`,
      );
    const wanted = { storeId: store.id, path: target.path, current: head, ...text };
    const expected = expect === undefined ? {} : { expect };
    return writeUnlessChanged(client, { ...wanted, ...expected }, target, flags);
  });
  tell(terminal, written, flags, target);
}

async function isDirectory(file: string): Promise<boolean> {
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });
  return facts.isDirectory();
}

/** Into a folder, a file goes under its own name. */
function targetOf(address: MemoryAddress, file: string): MemoryAddress {
  if (!isFolder(address)) return address;
  if (file === "-")
    throw new CliError(
      `${formatAddress(address)} is a folder: say which path the text gets in it.`,
      exitCodes.usage,
    );
  return { ...address, path: address.path + basename(file).normalize("NFC") };
}

function tell(
  terminal: Terminal,
  written: WriteResult,
  flags: PutFlags,
  address: MemoryAddress,
): void {
  const { outcome, memory } = written;
  if (flags.json === true) terminal.write(`${JSON.stringify(summary([written]))}\n`);
  else if (flags.quiet !== true)
    terminal.write(`${outcome} ${formatAddress(address)} ${memory.memory_version_id}\n`);
}

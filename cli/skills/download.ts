// `plinth skills download`: the files of a version as a folder, which is there when it is whole.
import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Client } from "../../contract/client.ts";
import { plural } from "../../client/text/words.ts";
import type { ArchiveEntry } from "../../kernel/archive/entry.ts";
import { readZip } from "../../kernel/archive/zip-reader.ts";
import { fileError } from "../file-error.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { archiveBytesMax, filesMax, folderBytesMax, type DownloadFlags } from "./options.ts";

export async function download(
  terminal: Terminal,
  id: string,
  flags: DownloadFlags,
): Promise<void> {
  const { version, zip } = await askWithApiKey(terminal, flags, (client) =>
    fetchZip(client, id, flags.version ?? "latest"),
  );
  const files = safeFiles(zip);
  expectSlug(version.name);
  const folder = join(flags.to, version.name);
  await unpack(files, { to: flags.to, name: version.name, folder });
  if (flags.json === true) {
    const made = { id, version: version.id, folder, files: files.length };
    terminal.write(`${JSON.stringify(made)}\n`);
    return;
  }
  terminal.write(`${folder}\n`);
  terminal.note(`${terminal.dim(`${plural(files.length, "file")} of ${version.id}.`)}\n`);
}

/** `latest` is resolved first: what is printed is what was fetched. */
async function fetchZip(client: Client, id: string, named: string) {
  const version = await client.skills.versions.retrieve({
    params: { skill_id: id, version: named },
  });
  const params = { skill_id: id, version: version.id };
  const { body } = await client.skills.versions.download({ params });
  const pieces: Uint8Array[] = [];
  try {
    let bytes = 0;
    for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
      if ((bytes += piece.length) > archiveBytesMax)
        throw new CliError("What the server sent is no skill: it has no end. Nothing was written.");
      pieces.push(piece);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(
      "The connection broke in the middle of the skill. Nothing was written. Begin it again.",
    );
  }
  return { version, zip: Buffer.concat(pieces) };
}

interface SafeFile {
  /** Below the skill's folder. */
  path: string;
  entry: ArchiveEntry;
}

/** A server that this machine talks to is not thereby allowed to write anywhere in it. */
function safeFiles(zip: Buffer): SafeFile[] {
  let bytes = 0;
  return entriesOf(zip).map((entry) => {
    const [top, ...steps] = entry.name?.split("/") ?? [];
    bytes += entry.bytes;
    const isSafe =
      top !== undefined &&
      steps.length > 0 &&
      entry.kind === "file" &&
      steps.every((step) => step !== "" && step !== "." && step !== ".." && !/[\\:\0]/.test(step));
    if (isSafe && bytes <= folderBytesMax) return { path: join(...steps), entry };
    throw new CliError(
      `What the server sent is no skill: ${JSON.stringify(entry.name ?? "a file")} stands in it. Nothing was written.`,
    );
  });
}

/** It becomes the name of a folder here. */
function expectSlug(name: string): void {
  if (/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) return;
  throw new CliError(
    `What the server sent is no skill: ${JSON.stringify(name)} is no name of one. Nothing was written.`,
  );
}

function entriesOf(zip: Buffer): ArchiveEntry[] {
  try {
    return readZip(zip, { entriesMax: filesMax });
  } catch (error) {
    throw unreadable(error);
  }
}

/** The sentences of the reader are for who packs; a bug has no sentence. */
const unreadable = (error: unknown): unknown =>
  error instanceof Error && error.name === "Failure"
    ? new CliError(`What the server sent is no skill: ${error.message}`)
    : error;

interface Target {
  to: string;
  name: string;
  folder: string;
}

async function unpack(files: readonly SafeFile[], { to, name, folder }: Target): Promise<void> {
  const there = await stat(folder).catch(() => undefined);
  if (there !== undefined)
    throw new CliError(`${folder} is there already. Move it away, or name another folder: --to.`);
  let part: string | undefined;
  try {
    await mkdir(to, { recursive: true });
    part = await mkdtemp(join(to, `.${name}-`));
    for (const { path, entry } of files) {
      const file = join(part, path);
      await mkdir(dirname(file), { recursive: true });
      const bytes = await entry.read().catch((error: unknown) => {
        throw unreadable(error);
      });
      await writeFile(file, bytes, { flag: "wx" });
      if ((entry.mode & 0o111) !== 0) await chmod(file, 0o755);
    }
    // Of a folder that only its maker may read.
    await chmod(part, 0o755);
    await rename(part, folder);
  } catch (error) {
    if (part !== undefined) await rm(part, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw fileError(error as NodeJS.ErrnoException, folder);
  }
}

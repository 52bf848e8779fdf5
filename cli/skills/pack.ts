// A skill's folder as a zip: only files of its own, folder by folder in the order of their names.
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { formatCount } from "../../client/text/words.ts";
import { writeZip, type ZippedFile } from "../../kernel/archive/zip-writer.ts";
import { fileError } from "../file-error.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { filesIn, leftOutText, type FileAt } from "../walk.ts";
import { filesMax, folderBytesMax, type UploadFlags } from "./options.ts";

/** A folder is packed; an archive goes out as it is. */
export async function formOf(
  terminal: Terminal,
  source: string,
  flags: UploadFlags,
): Promise<FormData> {
  const { displayName } = flags;
  const facts = await stat(source).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, source);
  });
  const form = new FormData();
  if (displayName !== undefined) form.append("display_name", displayName);
  if (!facts.isDirectory()) {
    if (!facts.isFile())
      throw new CliError(`${source} is no folder and no archive.`, exitCodes.usage);
    expectRoom(source, facts.size);
    form.append("files[]", new Blob([await read(source)]), basename(source));
    return form;
  }
  const name = basename(resolve(source)).normalize("NFC");
  const { files, leftOut } = await filesIn(source, `${name}/`, flags.all === true);
  if (leftOut.length > 0 && flags.json !== true)
    terminal.note(`${terminal.dim(leftOutText(leftOut))}\n`);
  if (!files.some(({ path }) => path === `${name}/SKILL.md`))
    throw new CliError(
      `${source} has no SKILL.md, which says what a skill is for. Name the folder that holds it.`,
      exitCodes.usage,
    );
  form.append("files[]", new Blob([await pack(source, files)]), `${name}.zip`);
  return form;
}

async function pack(folder: string, files: readonly FileAt[]): Promise<Uint8Array<ArrayBuffer>> {
  if (files.length > filesMax)
    throw new CliError(
      `${folder} has ${formatCount(files.length)} files, and a skill may have ${filesMax}. Leave out what it can do without.`,
    );
  const zipped: ZippedFile[] = [];
  let bytes = 0;
  for (const { file, path } of files) {
    const { mode, size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
      throw fileError(error, file);
    });
    expectRoom(folder, (bytes += size));
    const content = await read(file);
    // Where a file system knows no modes, what names its interpreter is made to be run.
    const isScript = content.subarray(0, 2).toString("latin1") === "#!";
    zipped.push({ path, bytes: content, isExecutable: isScript || (mode & 0o111) !== 0 });
  }
  return new Uint8Array(await writeZip(zipped));
}

const read = (file: string): Promise<Buffer<ArrayBuffer>> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw fileError(error, file);
  });

/** Before it is read: all of it is held in memory. */
function expectRoom(name: string, bytes: number): void {
  if (bytes <= folderBytesMax) return;
  throw new CliError(
    `${name} has more than ${formatCount(folderBytesMax)} bytes, which is what a skill may have. Leave out what it can do without.`,
  );
}

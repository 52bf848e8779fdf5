// The files of a folder, and their paths where they are sent to.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "./file-error.ts";
import { CliError } from "./terminal.ts";
import { formatCount } from "../client/text/words.ts";

export interface FileAt {
  file: string;
  path: string;
}

export interface FolderFiles {
  files: FileAt[];
  /** Files that are left out, with the reason. */
  leftOut: string[];
}

/** Links are not followed: they may lead anywhere. Hidden files are taken only on request. */
export async function filesIn(
  folder: string,
  to: string,
  takesHidden: boolean,
): Promise<FolderFiles> {
  const walk: FolderFiles = { files: [], leftOut: [] };
  await visit(walk, folder, to, takesHidden);
  const fileOf = new Map<string, string>();
  for (const { file, path } of walk.files) {
    const other = fileOf.get(path);
    if (other !== undefined)
      throw new CliError(`${other} and ${file} have the same name: both would be ${path}.`);
    fileOf.set(path, file);
  }
  return walk;
}

async function visit(walk: FolderFiles, folder: string, to: string, takesHidden: boolean) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw fileError(error, folder);
    },
  );
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = join(folder, entry.name);
    // Some file systems decompose characters; paths hold them composed.
    const path = to + entry.name.normalize("NFC");
    if (entry.name.startsWith(".") && !takesHidden) walk.leftOut.push(`${file} (hidden)`);
    else if (entry.isDirectory()) await visit(walk, file, `${path}/`, takesHidden);
    else if (entry.isFile()) walk.files.push({ file, path });
    else walk.leftOut.push(`${file} (${entry.isSymbolicLink() ? "a link" : "no file"})`);
  }
}

const namedMax = 5;

export function leftOutText(names: readonly string[]): string {
  const more = names.length > namedMax ? `, and ${formatCount(names.length - namedMax)} more` : "";
  const hint = names.some((name) => name.endsWith("(hidden)")) ? " --all takes hidden ones." : "";
  return `Left out: ${names.slice(0, namedMax).join(", ")}${more}.${hint}`;
}

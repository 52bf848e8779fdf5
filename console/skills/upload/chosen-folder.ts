// A folder that was chosen or dropped: its files with their paths, without what systems hide beside them.

export interface ChosenFile {
  /** Below one folder: `my-skill/SKILL.md`. An archive has its own name. */
  path: string;
  file: File;
}

/** As the server has them. */
export const folderBytesMax = 30 * 1024 * 1024;
export const filesMax = 500;
export const displayNameCharactersMax = 255;

const isHidden = (path: string): boolean =>
  path
    .split("/")
    .some((step) => /^(\.DS_Store|\._.*|__MACOSX|Thumbs\.db|desktop\.ini|\.git)$/.test(step));

const shown = (files: ChosenFile[]): ChosenFile[] =>
  files
    .filter(({ path }) => !isHidden(path))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));

/** Files of a folder say in which; an archive stands alone. */
export const chosenOf = (files: readonly File[]): ChosenFile[] =>
  shown(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));

export async function droppedOf(
  files: readonly File[],
  folders: readonly FileSystemDirectoryEntry[],
): Promise<ChosenFile[]> {
  const inside = await Promise.all(folders.map((folder) => filesIn(folder, folder.name)));
  return shown([...chosenOf(files), ...inside.flat()]);
}

/** More would be refused: what is not read need not be waited for. */
const readMax = 2 * filesMax;

async function filesIn(folder: FileSystemDirectoryEntry, path: string): Promise<ChosenFile[]> {
  const found: ChosenFile[] = [];
  for (const entry of await entriesIn(folder)) {
    if (found.length > readMax) break;
    const at = `${path}/${entry.name}`;
    if (isHidden(at)) continue;
    if (entry.isDirectory) found.push(...(await filesIn(entry as FileSystemDirectoryEntry, at)));
    else found.push({ path: at, file: await fileOf(entry as FileSystemFileEntry) });
  }
  return found;
}

/** A browser gives them by the hundred. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0 || all.length > readMax) return all;
    all.push(...some);
  }
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

const isArchive = (files: readonly ChosenFile[]): boolean =>
  files.length === 1 && files[0]?.path.includes("/") === false;

export const bytesOf = (files: readonly ChosenFile[]): number =>
  files.reduce((sum, { file }) => sum + file.size, 0);

/** What the server would refuse of them, as far as it can be seen without reading them. */
export function folderFault(files: readonly ChosenFile[]): string | undefined {
  const [first] = files;
  if (first === undefined) return "There is no file in it.";
  if (bytesOf(files) > folderBytesMax) return "A skill may have 30 MiB in its files.";
  if (isArchive(files)) {
    const isNamed = /\.(zip|tar|tgz|tar\.gz|skill)$/i.test(first.path);
    return isNamed
      ? undefined
      : "This is one file alone. Choose the folder that it stands in, or a zip or tar of that folder.";
  }
  if (files.length > filesMax) return `A skill has at most ${filesMax} files.`;
  const top = first.path.split("/")[0] ?? "";
  const other = files.find(({ path }) => !path.startsWith(`${top}/`));
  if (other !== undefined) return "A skill is one folder: choose that alone.";
  return files.some(({ path }) => path === `${top}/SKILL.md`)
    ? undefined
    : `There is no SKILL.md right in ${top}.`;
}

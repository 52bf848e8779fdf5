// A text in the person's editor, through a file that no other user may read.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

export interface Draft {
  file: string;
  remove(): Promise<void>;
}

export function editorOf({ env, isPerson }: Terminal): string {
  const editor = env["VISUAL"] || env["EDITOR"];
  if (editor !== undefined && editor.trim() !== "") return editor;
  if (isPerson.input && isPerson.output) return "vi";
  throw new CliError(
    "Nobody is there to edit it: set EDITOR to a command that does, or use plinth memory put.",
    exitCodes.usage,
  );
}

/** Under the name of the memory, by which editors know its type, in a folder for this user alone. */
export async function openDraft(path: string, text: string): Promise<Draft> {
  const folder = await mkdtemp(join(tmpdir(), "plinth-memory-"));
  const file = join(folder, basename(path));
  await writeFile(file, text, { mode: 0o600 });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The bytes as the editor left them; undefined where it left no file. */
export async function runEditor(
  terminal: Terminal,
  editor: string,
  { file }: Draft,
): Promise<{ code: number | null; bytes: Buffer | undefined }> {
  // Ctrl-C reaches the editor too, where it does not mean the end.
  const release = terminal.onInterrupt(() => {});
  try {
    const code = await terminal.edit(editor, file);
    return { code, bytes: await readFile(file).catch(() => undefined) };
  } finally {
    release();
  }
}

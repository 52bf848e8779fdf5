// Takes a skill's folder in: the files of a form or one archive of them, checked and packed.
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { writeZip, type ZippedFile } from "../../../kernel/archive/zip-writer.ts";
import { invalid, tooLarge, unavailable } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { Form } from "../../../kernel/http/input/multipart.ts";
import { part } from "../../../kernel/work/parts.ts";
import { limits } from "../limits.ts";
import { expectSlug, readFrontMatter } from "./front-matter.ts";
import { cleanPath, fileRefused, pathCheck } from "./paths.ts";
import { isArchive, unpack, type UploadedFile } from "./unpack.ts";

export interface SkillFolder {
  name: string;
  description: string;
  /** A zip whose one folder bears the name. */
  archive: Buffer;
  sha256: string;
}

/** How many uploads this process holds. */
export const uploadsPart = part("uploads of skills", { make: (_world: World) => ({ held: 0 }) });

/** The form's fields are known when it has ended. */
export async function receiveFolder(world: World, form: Form): Promise<SkillFolder> {
  const uploads = uploadsPart.of(world);
  const files = form.files[Symbol.asyncIterator]();
  if (uploads.held >= limits.uploadsAtOnceMax) {
    await files.return?.();
    throw unavailable("Many skills are being uploaded at this moment; try again in a second.");
  }
  uploads.held += 1;
  try {
    return await packed(await folderOf(await uploaded(form)));
  } finally {
    uploads.held -= 1;
    await files.return?.();
  }
}

/** Counts what a folder's files come to, before they are held. */
function roomCheck(): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > limits.folderBytesMax)
      throw tooLarge(
        `files[]: the files of a skill may have ${limits.folderBytesMax} bytes together, unpacked. Leave out what the skill can do without.`,
      );
  };
}

async function uploaded(form: Form): Promise<UploadedFile[]> {
  const expectRoom = roomCheck();
  const files: UploadedFile[] = [];
  for await (const { filename, content } of form.files) {
    const bytes = await whole(content, expectRoom);
    // A form says nothing of modes: what names its interpreter is made to be run.
    const isExecutable = bytes.subarray(0, 2).toString("latin1") === "#!";
    files.push({ path: filename, bytes, isExecutable });
  }
  const [only] = files;
  if (only === undefined)
    throw invalid(
      "files[]: is missing; send the files of the skill's folder, SKILL.md among them.",
    );
  const isOne = files.length === 1 && !/[/\\]/.test(only.path);
  if (!isOne || !isArchive(only.bytes)) return files;
  return Array.fromAsync(unpack(only.bytes, roomCheck()));
}

async function whole(content: Readable, expectRoom: (bytes: number) => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content as AsyncIterable<Buffer>) {
    expectRoom(piece.length);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const skillFile = "SKILL.md";

interface CheckedFolder {
  name: string;
  description: string;
  /** By their paths within the folder. */
  files: Map<string, UploadedFile>;
}

async function folderOf(uploads: readonly UploadedFile[]): Promise<CheckedFolder> {
  if (uploads.length > limits.filesMax)
    throw invalid(
      `files[]: a skill has at most ${limits.filesMax} files; these are ${uploads.length}.`,
    );
  const expectFree = pathCheck();
  const files = new Map<string, UploadedFile>();
  let top: string | undefined;
  for (const file of uploads) {
    const path = cleanPath(file.path);
    const slash = path.indexOf("/");
    if (slash === -1)
      throw fileRefused(
        file.path,
        `stands in no folder. Give each file its path below one folder, as in "my-skill/${skillFile}".`,
      );
    top ??= path.slice(0, slash);
    if (path.slice(0, slash) !== top)
      throw fileRefused(file.path, `is not below ${JSON.stringify(top)}: a skill is one folder.`);
    expectFree(path);
    files.set(path.slice(slash + 1), file);
  }
  const document = files.get(skillFile);
  if (top === undefined || document === undefined)
    throw invalid(
      `files[]: there is no ${skillFile} right in the skill's folder. Add it, spelled so.`,
    );
  const { name, description } = readFrontMatter(document.bytes);
  const slug = name === undefined ? expectSlug(top, "folder") : expectSlug(name, "name");
  return { name: slug, description, files };
}

/** In the order of their paths: the same files make the same archive, however they came. */
async function packed({ name, description, files }: CheckedFolder): Promise<SkillFolder> {
  const inOrder = [...files].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const archive = await writeZip(
    inOrder.map(([path, { bytes, isExecutable }]): ZippedFile => ({
      path: `${name}/${path}`,
      bytes,
      isExecutable,
    })),
  );
  const sha256 = createHash("sha256").update(archive).digest("hex");
  return { name, description, archive, sha256 };
}

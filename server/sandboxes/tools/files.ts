// The tools `read`, `write` and `edit`. What they do is done inside, by the agent's own rights: the server opens no
// path that an agent has had its hands on.
import { flagOf, linesOf, pathOf, textOf, ToolFault, type ToolInput } from "./input.ts";
import { toolLimits } from "./limits.ts";
import { pictureIn } from "./pictures.ts";
import { done, type ToolResult } from "./result.ts";
import type { Sandbox } from "./sandbox.ts";

/** Bytes come as base64: not every shell hands on what is no text. */
const asBase64 = 'head -c "$2" | base64 -w 0';

/** A pipe or a device is not opened: reading it might never end. */
const expectFile = `
[ -e "$1" ] || { echo "is not there." >&2; exit 1; }
[ -d "$1" ] && { echo "is a directory." >&2; exit 1; }
[ -f "$1" ] || { echo "is no file: a pipe, a socket or a device." >&2; exit 1; }`;

const readScript = `${expectFile}
[ -r "$1" ] || { echo "may not be read." >&2; exit 1; }
cat -- "$1" | ${asBase64}`;

/** Lines from $3 on, and no more than $4 of them where there is a fourth. */
const readLinesScript = `${expectFile}
if [ -n "$4" ]; then tail -n "+$3" -- "$1" | head -n "$4" | ${asBase64}
else tail -n "+$3" -- "$1" | ${asBase64}; fi`;

/** Whole or not at all: it is written beside the file and takes its place. A link is followed. */
const writeScript = `
file=$(readlink -m -- "$1") || exit 1
[ -d "$file" ] && { echo "is a directory." >&2; exit 1; }
[ -e "$file" ] && [ ! -f "$file" ] && { echo "is no file: a pipe, a socket or a device." >&2; exit 1; }
mkdir -p -- "$(dirname -- "$file")" || exit 1
new=$(mktemp -- "$(dirname -- "$file")/.new-XXXXXXXX") || exit 1
if [ -e "$file" ]; then chmod --reference="$file" -- "$new"; else chmod 644 -- "$new"; fi &&
cat >"$new" && mv -fT -- "$new" "$file" || { rm -f -- "$new"; exit 1; }`;

export async function read(
  sandbox: Sandbox,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const named = textOf(input, "file_path");
  const path = pathOf(named, "file_path");
  const lines = linesOf(input);
  const bytes =
    lines === undefined
      ? await readBytes(sandbox, { named, path, signal })
      : await readLines(sandbox, { named, path, lines, signal });
  const picture = lines === undefined ? await pictureIn(bytes) : undefined;
  if (picture?.isWhole === true) return showPicture(named, picture.mediaType, bytes);
  if (bytes.length > toolLimits.textBytesMax) {
    const way =
      lines === undefined
        ? "Read a part of it with view_range, such as [1, 500]."
        : "Ask for fewer lines.";
    throw new ToolFault(`${named} is longer than ${toolLimits.textBytesMax} bytes. ${way}`);
  }
  const text = textIn(named, bytes, picture?.mediaType);
  return done(lines === undefined || !text.endsWith("\n") ? text : text.slice(0, -1));
}

interface Reading {
  named: string;
  path: string;
  signal: AbortSignal;
}

/** As many as a picture may have, and one more. */
const readBytesMax = Math.max(toolLimits.pictureBytesMax, toolLimits.textBytesMax) + 1;

const readBytes = (sandbox: Sandbox, { named, path, signal }: Reading): Promise<Buffer> =>
  runForBytes(sandbox, { named, script: readScript, words: [path, `${readBytesMax}`], signal });

function readLines(
  sandbox: Sandbox,
  { named, path, lines: [from, to], signal }: Reading & { lines: [number, number] },
): Promise<Buffer> {
  const most = `${toolLimits.textBytesMax + 1}`;
  const words = [path, most, `${from}`, to === -1 ? "" : `${to - from + 1}`];
  return runForBytes(sandbox, { named, script: readLinesScript, words, signal });
}

async function runForBytes(sandbox: Sandbox, script: Script): Promise<Buffer> {
  const said = await run(sandbox, script);
  return Buffer.from(said.toString("latin1"), "base64");
}

function showPicture(named: string, mediaType: string, bytes: Buffer): ToolResult {
  const { pictureBytesMax } = toolLimits;
  if (bytes.length > pictureBytesMax)
    throw new ToolFault(
      `${named} is a picture of more than ${pictureBytesMax} bytes, which cannot be shown; make a smaller one of it.`,
    );
  const data = bytes.toString("base64");
  const source = { type: "base64" as const, media_type: mediaType, data };
  return { content: [{ type: "image", source }], isError: false };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `begun` is what it begins as, and is not. */
function textIn(named: string, bytes: Buffer, begun?: string): string {
  const isBinary = bytes.includes(0);
  try {
    if (!isBinary) return utf8.decode(bytes);
  } catch {
    // No UTF-8: said below.
  }
  if (begun !== undefined)
    throw new ToolFault(
      `${named} begins as ${begun}, but is no whole picture: no width and height are found in its head. Look at it with bash: file, xxd.`,
    );
  throw new ToolFault(
    `${named} is no text in UTF-8${isBinary ? " (it has NUL bytes)" : ""}. Look at it with bash: file, xxd, iconv.`,
  );
}

export async function write(
  sandbox: Sandbox,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const named = textOf(input, "file_path");
  const content = Buffer.from(textOf(input, "content"));
  await put(sandbox, { named, path: pathOf(named, "file_path"), signal }, content);
  return done(`Wrote ${content.length} bytes to ${named}.`);
}

export async function edit(
  sandbox: Sandbox,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const named = textOf(input, "file_path");
  const [before, after] = [textOf(input, "old_string"), textOf(input, "new_string")];
  if (before === "") throw new ToolFault("old_string: must not be empty; write makes a new file.");
  if (before === after) throw new ToolFault("new_string: is the same as old_string.");
  const reading = { named, path: pathOf(named, "file_path"), signal };
  const bytes = await readBytes(sandbox, reading);
  if (bytes.length >= readBytesMax)
    throw new ToolFault(`${named} is longer than an edit takes; use bash: sed, or a program.`);
  const parts = textIn(named, bytes).split(before);
  const count = parts.length - 1;
  if (count === 0) throw new ToolFault(`old_string: does not stand in ${named}.`);
  if (count > 1 && !flagOf(input, "replace_all"))
    throw new ToolFault(
      `old_string: stands ${count} times in ${named}; give more of what is around it, or set replace_all.`,
    );
  await put(sandbox, reading, Buffer.from(parts.join(after)));
  return done(`Edited ${named}: ${count === 1 ? "1 place" : `${count} places`}.`);
}

const put = (sandbox: Sandbox, { named, path, signal }: Reading, stdin: Buffer): Promise<Buffer> =>
  run(sandbox, { named, script: writeScript, words: [path], stdin, signal });

interface Script {
  named: string;
  script: string;
  words: readonly string[];
  stdin?: Buffer;
  signal: AbortSignal;
}

async function run(
  sandbox: Sandbox,
  { named, script, words, stdin, signal }: Script,
): Promise<Buffer> {
  const { code, output, errors, isTimedOut, isAborted } = await sandbox.exec({
    command: ["/bin/sh", "-c", script, "sh", ...words],
    timeoutMs: toolLimits.fileMs,
    bytesMax: 2 * readBytesMax,
    isErrorApart: true,
    signal,
    ...(stdin && { stdin }),
  });
  if (code === 0) return output;
  if (isAborted) throw new ToolFault(`${named}: it was interrupted.`);
  if (isTimedOut) throw new ToolFault(`${named}: it took longer than ${toolLimits.fileMs} ms.`);
  throw new ToolFault(`${named} ${reasonIn(errors.toString("utf8"))}`);
}

/** Words of our own stand as they are; of what a program says it is the part behind its own name and the path. */
function reasonIn(said: string): string {
  const line = said.trim().split("\n").at(-1) ?? "";
  if (/^(is|may) /.test(line)) return line;
  const reason = /: ([^:]+)$/.exec(line)?.[1];
  return reason === undefined ? "could not be taken." : `could not be taken: ${reason}.`;
}

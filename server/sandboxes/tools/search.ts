// The tools `glob` and `grep`, by the search program that the server brings into every sandbox.
import { searchProgram } from "../programs.ts";
import { optionalText, pathOf, textOf, ToolFault, type ToolInput } from "./input.ts";
import { toolLimits } from "./limits.ts";
import { cutText, done, type ToolResult } from "./result.ts";
import type { Sandbox } from "./sandbox.ts";

/** Folders of other people's work, whose finds would hide those that matter. */
const passedBy = ["!**/.git", "!**/node_modules"].flatMap((glob) => ["--glob", glob]);
const always = ["--no-config", "--color=never", "--no-messages"];

export async function glob(
  sandbox: Sandbox,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const pattern = textOf(input, "pattern");
  if (pattern === "") throw new ToolFault("pattern: must not be empty.");
  if (pattern.startsWith("/") || pattern.split("/").includes(".."))
    throw new ToolFault("pattern: is looked for below path; it begins with no / and has no `..`.");
  const root = rootOf(input);
  // With the slash it is of the whole path below the root: `*.ts` finds none in deeper folders, `**/*.ts` does.
  const words = ["--files", "--hidden", "--no-ignore", "--sortr=modified", "--null"];
  const said = await search(sandbox, {
    words: [...always, ...words, "--glob", `/${pattern}`, ...passedBy, "--", "."],
    root,
    signal,
  });
  // What was cut off has no end.
  const found = said.output.split("\0").slice(0, -1);
  if (found.length === 0) return done("Nothing is like that.");
  const { globFilesMax } = toolLimits;
  const paths = found.slice(0, globFilesMax).map((path) => `${root}/${path.replace(/^\.\//, "")}`);
  if (found.length > globFilesMax)
    paths.push(
      `[${found.length - globFilesMax} more are left out: those that changed longest ago]`,
    );
  return done(paths.join("\n"));
}

export async function grep(
  sandbox: Sandbox,
  input: ToolInput,
  signal: AbortSignal,
): Promise<ToolResult> {
  const pattern = textOf(input, "pattern");
  if (pattern === "") throw new ToolFault("pattern: must not be empty.");
  const root = rootOf(input);
  const words = ["--line-number", "--no-heading", "--with-filename", "--hidden", "--sort=path"];
  const said = await search(sandbox, {
    words: [...always, ...words, ...passedBy, `--regexp=${pattern}`, "--", root],
    root,
    isAnything: true,
    signal,
  });
  const lines = said.output
    .split("\n")
    .slice(0, -1)
    .map((line) => cutText(line, toolLimits.grepLineCharactersMax));
  if (said.isTruncated) lines.push("[more is left out]");
  return done(lines.length === 0 ? "No line is like that." : lines.join("\n"));
}

const rootOf = (input: ToolInput): string =>
  pathOf(optionalText(input, "path") ?? "/workspace", "path");

interface Search {
  words: readonly string[];
  root: string;
  /** Not only a directory, which the program is run in. */
  isAnything?: boolean;
  signal: AbortSignal;
}

const inDirectory = 'cd -- "$1" 2>/dev/null || exit 66; shift; exec "$@"';
// A pipe would be waited for.
const onAnything =
  '[ -e "$1" ] || exit 66; [ -f "$1" ] || [ -d "$1" ] || exit 67; shift; exec "$@"';
const [noPlace, noFile, nothing, notFound] = [66, 67, 1, 127];

async function search(
  sandbox: Sandbox,
  { words, root, isAnything = false, signal }: Search,
): Promise<{ output: string; isTruncated: boolean }> {
  const script = isAnything ? onAnything : inDirectory;
  const result = await sandbox.exec({
    command: ["/bin/sh", "-c", script, "sh", root, searchProgram, ...words],
    timeoutMs: toolLimits.searchMs,
    bytesMax: toolLimits.searchBytesMax,
    isErrorApart: true,
    signal,
  });
  const { code, isTimedOut, isAborted, isTruncated } = result;
  const output = result.output.toString("utf8");
  if (isAborted) throw new ToolFault("It was interrupted.");
  if (isTimedOut) throw new ToolFault("It took too long; look in a smaller place.");
  if (code === noPlace)
    throw new ToolFault(
      `path: there is no ${isAnything ? "file or directory" : "directory"} ${root}.`,
    );
  if (code === noFile)
    throw new ToolFault(`path: ${root} is no file: a pipe, a socket or a device.`);
  if (code === notFound) throw new ToolFault("This sandbox has no program to search with.");
  const fault = result.errors.toString("utf8").trim().split("\n").at(-1) ?? "";
  // Of places that may not be read nothing is said, and the rest was looked through.
  if (code !== 0 && code !== nothing && output === "" && fault !== "")
    throw new ToolFault(`pattern: ${fault}`);
  return { output, isTruncated };
}

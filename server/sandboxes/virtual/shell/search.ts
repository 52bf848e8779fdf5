// The search program of the tools, with the words that they use of it: the library's own knows fewer.
import { matchesGlob, posix } from "node:path";
import type { ExecResult, ResolvedCommandContext } from "just-bash";

const passedBy: ReadonlySet<string> = new Set([".git", "node_modules"]);
const [found, nothing, fault] = [0, 1, 2];

export async function search(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  if (args.includes("--files")) return await listFiles(args, context);
  const pattern = args.find((word) => word.startsWith("--regexp="));
  const root = args.at(-1);
  if (pattern === undefined || root === undefined || context.exec === undefined)
    return { stdout: "", stderr: "rg: no pattern\n", exitCode: fault };
  const globs = [...passedBy].flatMap((name) => ["--glob", `!**/${name}`]);
  const words = ["--line-number", "--with-filename", "--hidden", ...globs, pattern, root];
  const result = await context.exec("rg", { cwd: context.cwd, args: words });
  const isFault = result.stderr !== "" && result.stdout === "";
  return isFault ? { ...result, exitCode: fault } : result;
}

interface FoundFile {
  path: string;
  changedMs: number;
}

/** Below the directory it is run in, those that changed last first. */
async function listFiles(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<ExecResult> {
  const pattern = dotless(args[args.indexOf("--glob") + 1]?.slice(1) ?? "**");
  const files: FoundFile[] = [];
  await walk(context, { folder: context.cwd, below: "" }, (file) => {
    if (matchesGlob(dotless(file.path), pattern)) files.push(file);
  });
  files.sort((a, b) => b.changedMs - a.changedMs);
  const stdout = files.map(({ path }) => `${path}\0`).join("");
  return { stdout, stderr: "", exitCode: stdout === "" ? nothing : found };
}

/** A `*` of Node.js passes by names that begin with a dot; here it does not. */
const dotless = (path: string) => path.replaceAll(/(^|[/{,])\.(?!\.)/g, "$1\u2024");

async function walk(
  context: ResolvedCommandContext,
  { folder, below }: { folder: string; below: string },
  visit: (file: FoundFile) => void,
): Promise<void> {
  const { fs } = context;
  for (const name of await fs.readdir(folder)) {
    const path = posix.join(folder, name);
    const kind = await fs.lstat(path);
    const inside = below === "" ? name : `${below}/${name}`;
    if (kind.isFile) visit({ path: inside, changedMs: kind.mtime.getTime() });
    if (kind.isDirectory && !passedBy.has(name))
      await walk(context, { folder: path, below: inside }, visit);
  }
}

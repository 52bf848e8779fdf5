// Programs that the tools and many agents use and the library has not, or not with these options.
import { posix } from "node:path";
import {
  type Command,
  defineCommand,
  type ExecResult,
  type ResolvedCommandContext,
} from "just-bash";
import { systemRandom } from "../../../../kernel/base/random.ts";
import { searchName } from "../messages.ts";
import { isListing, list } from "./list.ts";
import { readDone, shells } from "./read.ts";
import { search } from "./search.ts";

const said = (stdout: string): ExecResult => ({ stdout, stderr: "", exitCode: 0 });
const failed = (stderr: string): ExecResult => ({ stdout: "", stderr: `${stderr}\n`, exitCode: 1 });

/** The same program without the word `--`, which it does not know; names that begin with `-` are written otherwise. */
function plainWords(args: readonly string[]): string[] {
  const at = args.indexOf("--");
  if (at === -1) return [...args];
  const names = args.slice(at + 1).map((name) => (name.startsWith("-") ? `./${name}` : name));
  return [...args.slice(0, at), ...names];
}

const original = (context: ResolvedCommandContext, args: readonly string[]): Promise<ExecResult> =>
  context.origCommand?.([...args]) ?? Promise.resolve(failed("it is not there"));

const withoutDashes = ["sort", "grep", "cp"].map((name) =>
  defineCommand(name, (args, context) => original(context, plainWords(args))),
);

const devices: Readonly<Record<string, (size: number) => Buffer>> = {
  "/dev/zero": (size) => Buffer.alloc(size),
  "/dev/urandom": (size) => systemRandom.bytes(size),
  "/dev/random": (size) => systemRandom.bytes(size),
};

/** The devices that never end are read with `head -c` alone. */
const deviceBytesMax = 64 * 1024 ** 2;

const head = defineCommand("head", (args, context) => {
  const words = plainWords(args);
  const device = devices[words.at(-1) ?? ""];
  const size = /^-c ?(\d+)$/.exec(words.slice(0, -1).join(" "))?.[1];
  if (device === undefined || size === undefined) return original(context, words);
  if (Number(size) > deviceBytesMax)
    return Promise.resolve(failed(`head: more than ${deviceBytesMax} bytes of a device`));
  return Promise.resolve({ ...said(device(Number(size)).toString("latin1")), stdoutKind: "bytes" });
});

/** From a byte on, which the library takes for as many bytes at the end. */
const tail = defineCommand("tail", async (args, context) => {
  const [option, from = "", path = "", ...more] = plainWords(args);
  const isFrom = option === "-c" && /^\+\d+$/.test(from) && path !== "" && more.length === 0;
  if (!isFrom) return await original(context, plainWords(args));
  try {
    const bytes = await context.fs.readFileBuffer(posix.resolve(context.cwd, path));
    const stdout = Buffer.from(bytes.subarray(Number(from) - 1)).toString("latin1");
    return { ...said(stdout), stdoutKind: "bytes" };
  } catch {
    return failed(`tail: cannot open '${path}' for reading`);
  }
});

const mktemp = defineCommand("mktemp", async (args, context) => {
  const words = args.filter((word) => word !== "--" && word !== "-p" && word !== "-t");
  const isFolder = words[0] === "-d";
  const template = words[isFolder ? 1 : 0] ?? "/tmp/tmp.XXXXXXXXXX";
  if (!/X{3}$/.test(template)) return failed(`mktemp: too few X's in template '${template}'`);
  const name = template.replace(/X+$/, (places) =>
    systemRandom.bytes(places.length).toString("hex").slice(0, places.length),
  );
  const path = posix.resolve(context.cwd, name);
  try {
    await (isFolder ? context.fs.mkdir(path) : context.fs.writeFile(path, ""));
  } catch {
    return failed(`mktemp: failed to create '${template}': No such file or directory`);
  }
  return said(`${name}\n`);
});

/** `-m`: parts that are missing are taken as they are written. */
async function resolveMissing(context: ResolvedCommandContext, path: string): Promise<string> {
  const { fs } = context;
  try {
    return await fs.realpath(path);
  } catch {
    if (path === "/") return path;
  }
  const folder = await resolveMissing(context, posix.dirname(path));
  const here = posix.join(folder, posix.basename(path));
  const target = await fs.readlink(here).catch(() => undefined);
  if (target === undefined) return here;
  return target === posix.basename(path)
    ? here
    : await resolveMissing(context, posix.resolve(folder, target));
}

const readlink = defineCommand("readlink", async (args, context) => {
  const words = plainWords(args);
  if (words[0] !== "-m") return await original(context, words);
  const paths = words.slice(1).map((path) => posix.resolve(context.cwd, path));
  const found = await Promise.all(paths.map((path) => resolveMissing(context, path)));
  return said(found.map((path) => `${path}\n`).join(""));
});

const chmod = defineCommand("chmod", async (args, context) => {
  const [first = "", ...paths] = plainWords(args);
  const model = /^--reference=(.+)$/.exec(first)?.[1];
  if (model === undefined) return await original(context, [first, ...paths]);
  const { fs, cwd } = context;
  const { mode } = await fs.stat(posix.resolve(cwd, model));
  for (const path of paths) await fs.chmod(posix.resolve(cwd, path), mode & 0o7777);
  return said("");
});

/** Bytes by their numbers in base eight. */
const tr = defineCommand("tr", (args, context) =>
  original(
    context,
    args.map((word) =>
      word.replaceAll(/\\([0-7]{1,3})/g, (_, digits: string) =>
        String.fromCharCode(Number.parseInt(digits, 8)),
      ),
    ),
  ),
);

/** `-T`: the second name is never a folder to move into. */
const mv = defineCommand("mv", async (args, context) => {
  const words = plainWords(args);
  if (words[0] !== "-fT" && words[0] !== "-T") return await original(context, words);
  const [from = "", to = ""] = words.slice(1).map((path) => posix.resolve(context.cwd, path));
  await context.fs.mv(from, to);
  return said("");
});

const find = defineCommand("find", async (args, context) =>
  isListing(args)
    ? await list(args, context)
    : await original(context, /^-[PH]$/.test(args[0] ?? "") ? args.slice(1) : args),
);

/** The library prints the kind of the file with its mode. */
const stat = defineCommand("stat", async (args, context) => {
  const words = plainWords(args).map((word) => (word === "-Lc" ? "-c" : word));
  const result = await original(context, words);
  if (words[0] !== "-c" || words[1] !== "%a") return result;
  return { ...result, stdout: result.stdout.replace(/^\d+(\d{3})$/gm, "$1") };
});

export const commands: readonly Command[] = [
  ...withoutDashes,
  head,
  mktemp,
  readlink,
  chmod,
  mv,
  stat,
  tr,
  find,
  tail,
  ...shells,
  readDone,
  defineCommand(searchName, search),
];

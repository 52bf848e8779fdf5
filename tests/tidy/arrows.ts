// Who may import whom: the arrows of docs/ARCHITECTURE.md, type-only imports included.
import { posix } from "node:path";
import { isCode, takeApart, type Rule, type Source, type Violation } from "./source.ts";

export interface Import {
  /** As written. */
  specifier: string;
  /** A path from the root, when it is one of our files. */
  target: string | undefined;
  typeOnly: boolean;
}

/** What stands before the specifier: `from "x"`, `import "x"`, `import("x")`. */
const beforeSpecifier = /(?<![.\w])(?:from\s*|import\s*\(?\s*)$/;
const typeOnlyClause = /(?:^|[;}\s])(?:import|export)\s+type\s+(?:[^;"']*)$/;

const known = new WeakMap<Source, Import[]>();

/** Read once for all rules that ask. */
export function importsOf(source: Source): Import[] {
  let imports = known.get(source);
  if (imports === undefined) known.set(source, (imports = readImports(source)));
  return imports;
}

function readImports({ path, text }: Source): Import[] {
  const imports: Import[] = [];
  let code = "";
  for (const piece of takeApart(text)) {
    if (piece.kind === "code") code += piece.text;
    if (piece.kind !== "literal") continue;
    if (/^["'`]/.test(piece.text) && beforeSpecifier.test(code)) {
      const specifier = piece.text.slice(1, -1);
      const target = specifier.startsWith(".")
        ? posix.join(posix.dirname(path), specifier)
        : undefined;
      imports.push({ specifier, target, typeOnly: typeOnlyClause.test(code) });
    }
    code = "";
  }
  return imports;
}

const kernelBeyondBase: Record<string, readonly string[]> = {
  http: ["kernel/sql/", "kernel/context.ts"],
  log: ["kernel/sql/"],
  bus: ["kernel/sql/", "kernel/work/", "kernel/context.ts"],
  work: ["kernel/sql/"],
  jobs: ["kernel/sql/", "kernel/work/", "kernel/cron/", "kernel/context.ts"],
  // The names of log formats and levels.
  settings: ["kernel/observe/"],
};

/** Undefined when the arrow is allowed, else where this file may reach. */
function refusal(from: string, { target = "", typeOnly }: Import): string | undefined {
  const inside = (...prefixes: string[]) => prefixes.some((prefix) => target.startsWith(prefix));
  const [top = "", part = ""] = from.split("/");
  switch (top) {
    case "tests":
    case "tools":
    case "bench":
      return undefined;
    case "console":
      return consoleRefusal(from, target, inside);
    case "cli":
      // A skill's folder is packed and unpacked as the server does it.
      return inside("cli/", "client/", "contract/", "kernel/archive/", "kernel/cron/")
        ? undefined
        : "cli/ reaches client/, contract/, kernel/archive/ and kernel/cron/ only";
    case "client":
      // A browser runs it too: it has no built-in modules of Node.js and no packages.
      return inside("client/", "contract/") ? undefined : "client/ reaches contract/ only";
    case "contract":
      return inside("contract/") ? undefined : "contract/ reaches its own folder only";
    case "bin.ts":
      // Settings and refusals come before anything is started.
      return inside("cli/", "server/", "kernel/base/", "kernel/settings/")
        ? undefined
        : "bin.ts reaches cli/, server/, kernel/base and kernel/settings only";
    case "server":
      return serverRefusal(from, part, target, inside);
    case "kernel":
      return kernelRefusal(from, part, typeOnly, inside);
    default:
      return `${top} is no part of the house that may import anything`;
  }
}

type Inside = (...prefixes: string[]) => boolean;

function serverRefusal(
  from: string,
  noun: string,
  target: string,
  inside: Inside,
): string | undefined {
  // A program of its own beside the server: it has no database, and speaks HTTP as any client does.
  if (noun === "environment_worker")
    return inside("kernel/", "contract/", `server/${noun}/`) || isSharedWithWorkers(target)
      ? undefined
      : "server/environment_worker reaches its own folder, kernel/, contract/ and the module.ts of sandboxes and mounts only";
  // Workers mount too: neither of the two may come to the database by way of another noun.
  if (noun === "mounts" || noun === "sandboxes")
    return inside("kernel/", `server/${noun}/`, "server/sandboxes/module.ts")
      ? undefined
      : `server/${noun} is a worker's as well: it reaches its own folder, kernel/ and the module.ts of sandboxes only`;
  const isFace = /^server\/[^/]+\/module\.ts$/.test(target);
  if (isComposition(from))
    return inside("kernel/") || isFace || isComposition(target)
      ? undefined
      : "files right in server/ and server/commands reach kernel/ and the module.ts of each noun only";
  return inside("kernel/", `server/${noun}/`) || isFace
    ? undefined
    : `server/${noun} reaches its own folder, kernel/ and the module.ts of other nouns only`;
}

const isSharedWithWorkers = (target: string) =>
  target === "server/sandboxes/module.ts" || target === "server/mounts/module.ts";

/** kit ← nouns ← what puts the pages together. */
function consoleRefusal(from: string, target: string, inside: Inside): string | undefined {
  // What an expression means, a person sees while typing it, as the server reads it.
  if (inside("client/", "contract/", "console/kit/", "kernel/cron/")) return undefined;
  if (from.startsWith("console/kit/"))
    return "console/kit is no noun's: it reaches console/kit/, client/ and contract/ only";
  if (!inside("console/")) return "console/ reaches client/ and contract/ only";
  return !isPageComposition(target) || isPageComposition(from)
    ? undefined
    : "a noun of the console reaches console/kit/, client/, contract/ and other nouns only";
}

/** Files right in console/, what stands around every page, and the page that leads to all others. */
const isPageComposition = (path: string) =>
  /^console\/([^/]+|(shell|overview)\/.+)$/.test(path) && !path.endsWith(".css");

/** What puts the house together: files right in server/, and what the command line starts. */
const isComposition = (path: string) => /^server\/(commands\/)?[^/]+\.ts$/.test(path);

function kernelRefusal(
  from: string,
  part: string,
  typeOnly: boolean,
  inside: Inside,
): string | undefined {
  if (from === "kernel/context.ts")
    return typeOnly && inside("kernel/")
      ? undefined
      : "kernel/context.ts imports types of kernel parts only";
  if (inside("kernel/base/", `kernel/${part}/`)) return undefined;
  // A unit test stands beside its file and needs a database like any other test.
  if (from.endsWith(".test.ts") && inside("kernel/", "tests/")) return undefined;
  const beyond = kernelBeyondBase[part] ?? [];
  if (part !== "base" && inside(...beyond)) return undefined;
  return `kernel/${part} reaches ${["kernel/base", ...beyond].join(", ")} only`;
}

export const arrows: Rule = (sources) =>
  sources.filter(isCode).flatMap((source) =>
    importsOf(source).flatMap((imported): Violation[] => {
      if (imported.target === undefined) return [];
      const why = refusal(source.path, imported);
      if (why === undefined) return [];
      const message = `imports ${imported.target}: ${why}.`;
      return [{ rule: "arrows", path: source.path, message }];
    }),
  );

/** Nouns may call each other one way only. */
export const nounCycles: Rule = (sources) => {
  const arrows = new Map<string, Set<string>>();
  for (const source of sources.filter(isCode)) {
    const from = nounOf(source.path);
    if (from === undefined) continue;
    for (const { target = "" } of importsOf(source)) {
      const to = nounOf(target);
      if (to !== undefined && to !== from)
        arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  return circlesIn(new Map([...arrows].sort(([a], [b]) => (a < b ? -1 : 1)))).map((circle) => ({
    rule: "noun-cycles",
    path: circle[0] ?? "",
    message: `${circle.join(" → ")} is a cycle: the lower noun enqueues a job or appends an event, the higher one calls.`,
  }));
};

const nounOf = (path: string) =>
  isComposition(path) || isPageComposition(path)
    ? undefined
    : /^(server|console)\/[^/]+(?=\/)/.exec(path)?.[0];

/** Each from its first node, which comes again at its end, in the order in which the arrows are given. */
export function circlesIn(arrows: ReadonlyMap<string, Iterable<string>>): string[][] {
  const settled = new Set<string>();
  const circles: string[][] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    const start = trail.indexOf(node);
    if (start !== -1) return void circles.push([...trail.slice(start), node]);
    if (settled.has(node)) return;
    for (const next of arrows.get(node) ?? []) visit(next, [...trail, node]);
    settled.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return circles;
}

// How the code is divided: folders of one subject that can be read in one sitting, files that are whole, no circles,
// and numbers where they are looked for.
import { posix } from "node:path";
import { circlesIn, importsOf } from "./arrows.ts";
import { linesMax } from "./shape.ts";
import { codeOf, isCode, isTest, type Rule, type Source, type Violation } from "./source.ts";

const roomLinesMax = 1_200;
const smallFileLines = 60;

const isProduct = (source: Source) =>
  isCode(source) && !isTest(source) && /^(server|kernel)\//.test(source.path);
const isConsole = (source: Source) => isCode(source) && source.path.startsWith("console/");
const linesOf = ({ text }: Source) => text.split("\n").length - 1;

/** A folder's own files: folders in it are rooms of their own. */
export const roomLength: Rule = (sources) => {
  const lines = new Map<string, number>();
  for (const source of sources.filter((source) => isProduct(source) || isConsole(source))) {
    const room = posix.dirname(source.path);
    lines.set(room, (lines.get(room) ?? 0) + linesOf(source));
  }
  return [...lines].flatMap(([path, count]): Violation[] => {
    if (count <= roomLinesMax) return [];
    const message = `holds ${count} lines; at most ${roomLinesMax}. Give a subject of it a folder of its own.`;
    return [{ rule: "room-length", path, message }];
  });
};

/** What every noun calls by the same name is found by it, however short. */
const isFixture = (path: string) =>
  /\/(module|routes|schema|service|jobs|limits|settings|events|pages|queries)(-[\w-]+)?\.ts$/.test(
    path,
  );

/** What alone speaks to a package stays apart from what does not. */
const usesPackage = (source: Source) =>
  importsOf(source).some(({ specifier }) => !/^(\.|node:)/.test(specifier));

/** A few lines that one other file needs are read there, unless a test of their own says what they do. */
export const smallFiles: Rule = (sources) => {
  const importers = new Map<string, Set<string>>();
  const lines = new Map(sources.map((source) => [source.path, linesOf(source)]));
  for (const source of sources.filter(isCode))
    for (const { target = "" } of importsOf(source))
      importers.set(target, (importers.get(target) ?? new Set()).add(source.path));
  return sources.filter(isProduct).flatMap((source): Violation[] => {
    const { path } = source;
    const by = [...(importers.get(path) ?? [])];
    const inProduct = by.filter(
      (other) => !other.startsWith("tests/") && !other.endsWith(".test.ts"),
    );
    const isTested = by.length > inProduct.length;
    const [only] = inProduct;
    if (only === undefined || inProduct.length > 1 || isTested || isFixture(path)) return [];
    // A face only names what others may use; a command's code is loaded when the command is given.
    if (only.endsWith("/module.ts") || only === "bin.ts") return [];
    if (linesOf(source) >= smallFileLines || usesPackage(source)) return [];
    if (linesOf(source) + (lines.get(only) ?? 0) > linesMax) return [];
    const message = `has ${linesOf(source)} lines that ${only} alone imports: put them there.`;
    return [{ rule: "small-files", path, message }];
  });
};

/** `limits`, `jobLimits`, …: shapes have a large first letter, and are no plain object. */
const limitsObject = /^export const (limits|[a-z]\w*Limits)\b[^=\n]*= \{/gm;

/** Who looks for a number opens limits.ts of the room, and finds it there. */
export const limitsPlace: Rule = (sources) =>
  sources.filter(isProduct).flatMap(({ path, text }): Violation[] => {
    if (posix.basename(path) === "limits.ts") return [];
    return [...codeOf(text).matchAll(limitsObject)].map(([, name]) => {
      const message = `exports ${name}: numbers of a room stand in its limits.ts.`;
      return { rule: "limits-place", path, message };
    });
  });

/** Two files that need each other are one subject, or a third one is missing; types count too. */
export const fileCycles: Rule = (sources) => {
  const arrows = new Map(
    sources
      // Pages of the console load each other when they are opened.
      .filter((source) => isCode(source) && !source.path.startsWith("console/"))
      .map((source) => [source.path, importsOf(source).flatMap(({ target }) => target ?? [])]),
  );
  return circlesIn(arrows).map((circle) => ({
    rule: "file-cycles",
    path: circle[0] ?? "",
    message: `${circle.join(" → ")} is a circle: give what both need a file of its own.`,
  }));
};

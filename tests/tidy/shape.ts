// The shape of a file: its first sentence, its length, its lines, and what must not stand in it.
import { isScript, isTest, takeApart, type Rule, type Source, type Violation } from "./source.ts";

const columnsMax = 100;
/** The formatter leaves comments alone, and one line that is a little long beats two: but not without end. */
const commentColumnsMax = 120;
export const linesMax = 300;
const testLinesMax = 400;

const opening = /^(?:#![^\n]*\n)?(?:<!--\s*|\/\*\s*|\/\/ |-- |# )/;

/** Who opens a file wants to know what it is before how it is done. */
export const firstSentence: Rule = (sources) =>
  sources.filter(isWritten).flatMap(({ path, text }): Violation[] => {
    const sentence = firstComment(text);
    if (/^\S+\s+\S+\s+\S.*?[.!?:]/s.test(sentence)) return [];
    const message = "does not open with a sentence in a comment: say what the file is.";
    return [{ rule: "first-sentence", path, message }];
  });

/** Scripts, style sheets, migrations and shell: what has comments and is written by hand. */
function isWritten(source: Source): boolean {
  const byName = /\.(css|sql|sh)$/.test(source.path) || source.path === ".ci/run";
  return isScript(source) || (byName && !source.path.startsWith("tests/golden/"));
}

function firstComment(text: string): string {
  const start = opening.exec(text)?.[0];
  if (start === undefined) return "";
  if (/\/\*\s*$/.test(start)) return text.slice(start.length, text.indexOf("*/")).trim();
  const sign = /(\/\/|--|#) $/.exec(start)?.[1] ?? "";
  const lines = text.slice(start.length - sign.length - 1).split("\n");
  const end = lines.findIndex((line) => !line.startsWith(sign));
  return lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => line.slice(sign.length).trim())
    .join(" ")
    .trim();
}

export const fileLength: Rule = (sources) =>
  sources.filter(isScript).flatMap((source): Violation[] => {
    const max = isTest(source) ? testLinesMax : linesMax;
    const lines = source.text.split("\n").length - 1;
    if (lines <= max) return [];
    const message = `has ${lines} lines; at most ${max}. Split it where it has two subjects.`;
    return [{ rule: "file-length", path: source.path, message }];
  });

/** The formatter breaks code; what it leaves long is text, and text in a literal may be long. */
export const columns: Rule = (sources) =>
  sources.filter(isScript).flatMap(({ path, text }) => {
    const raw = text.split("\n");
    if (!raw.some((line) => line.length > columnsMax)) return [];
    const bare = withoutLiterals(text).split("\n");
    return raw.flatMap((line, index): Violation[] => {
      const rest = bare[index] ?? "";
      const isComment = /^\s*(\/\/|\*|\/\*)/.test(line);
      const max = isComment ? commentColumnsMax : columnsMax;
      if (line.length <= max || rest.length <= max || /https?:\/\//.test(line)) return [];
      const message = `line ${index + 1} has ${line.length} columns; at most ${max}.`;
      return [{ rule: "columns", path, message }];
    });
  });

function withoutLiterals(text: string): string {
  return takeApart(text)
    .map((piece) =>
      piece.kind === "literal" ? `""${piece.text.replace(/[^\n]/g, "")}` : piece.text,
    )
    .join("");
}

/** A note to oneself is lost in a file: it is done now, or it is not there. */
const words = ["TO,DO", "FIX,ME", "XX,X", "HA,CK"].map((word) => word.replace(",", ""));
const notes = new RegExp(`\\b(${words.join("|")})\\b`);

export const notesToSelf: Rule = (sources) =>
  sources.filter(isOurs).flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index): Violation[] => {
      const note = notes.exec(line)?.[1];
      const message = `line ${index + 1} says ${note}: do it, or say in the documents that it is open.`;
      return note === undefined ? [] : [{ rule: "notes-to-self", path, message }];
    }),
  );

/** A directory that exists on one machine only: somebody's home, a builder's folder. */
const machinePaths = [
  /(?<![\w.}\])$*-])\/(?:home|Users)\/(?!plinth\b|node\b|\$|<|\{)[\w.-]+\//,
  /(?<![\w.}\])$*-])\/(?:work|farm)\/[\w.-]+/,
  /\b[A-Z]:\\Users\\\w/,
];

export const developerPaths: Rule = (sources) =>
  sources.filter(isOurs).flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index): Violation[] => {
      const found = machinePaths.map((pattern) => pattern.exec(line)?.[0]).find(Boolean);
      const message = `line ${index + 1} holds ${found}, a path of one machine: make it relative.`;
      return found === undefined ? [] : [{ rule: "developer-paths", path, message }];
    }),
  );

const isOurs = ({ path }: Source) => path !== "package-lock.json" && path !== "LICENSE";

/** Where a package came from is a matter of each machine's registry; its hash is not. */
export const lockFile: Rule = (sources) => {
  const lock = sources.find(({ path }) => path === "package-lock.json");
  if (lock === undefined) return [];
  const hosts = lock.text.match(/"resolved":\s*"[a-z+]+:\/\/[^"]*"/g) ?? [];
  if (hosts.length === 0) return [];
  const message = `holds ${hosts.length} "resolved" addresses: npm config set omit-lockfile-registry-resolved true, then npm install.`;
  return [{ rule: "lock-file", path: lock.path, message }];
};

/** Function length is the linter's business; that it stays so is ours. */
export const functionLength: Rule = (sources) => {
  const config = sources.find(({ path }) => path === ".oxlintrc.json");
  const rules = (JSON.parse(config?.text ?? "{}") as { rules?: Record<string, unknown> }).rules;
  const [level, options] = [rules?.["max-lines-per-function"]].flat() as [
    unknown,
    { max?: number }?,
  ];
  if (level === "error" && (options?.max ?? Infinity) <= 70) return [];
  const message = "must hold max-lines-per-function as an error at 70 or less.";
  return [{ rule: "function-length", path: ".oxlintrc.json", message }];
};

// How SQL is written: where it stands, in lower case, with its columns named; and migrations, which never change.
import { createHash } from "node:crypto";
import { takeApart, isScript, isTest, type Rule, type Source, type Violation } from "./source.ts";

interface Text {
  text: string;
  line: number;
}

/** The templates tagged `sql`. */
export function sqlOf({ text }: Source): Text[] {
  const found: Text[] = [];
  let before = "";
  for (const piece of takeApart(text)) {
    if (piece.kind === "literal" && piece.text.startsWith("`") && /\bsql\s*$/.test(before))
      found.push({ text: piece.text, line: piece.line });
    before = piece.kind === "code" ? piece.text : "";
  }
  return found;
}

const keywords =
  "SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|AND|OR|JOIN|LEFT|ON|INTO|VALUES|SET|RETURNING|ORDER|GROUP|BY|LIMIT|CREATE|TABLE|INDEX|PRIMARY|KEY|NOT|NULL|DEFAULT|REFERENCES|FOR|WITH|AS|IN|IS|CONFLICT|DO|NOTHING|ALTER|DROP|BEGIN|COMMIT";
const upperCase = new RegExp(`\\b(?:${keywords})\\b`);
const allColumns = /\b(?:select|returning)\s+(?:distinct\s+)?(?:\w+\.)?\*|,\s*\w+\.\*/i;

export const sqlStyle: Rule = (sources) =>
  sources
    .filter((source) => isScript(source) && !isTest(source))
    .flatMap((source) => sqlOf(source).flatMap((statement) => complaints(source.path, statement)));

/** The text between holes and quotes: what a value says is its own business. */
function complaints(path: string, { text, line }: Text): Violation[] {
  const words = text
    .replace(/\$\{[^}]*\}/g, "?")
    .replace(/'[^']*'/g, "''")
    .replace(/--.*/g, "");
  const say = (message: string) => ({
    rule: "sql-style",
    path,
    message: `line ${line}: ${message}`,
  });
  const shout = upperCase.exec(words)?.[0];
  return [
    ...(shout === undefined ? [] : [say(`${shout} is written ${shout.toLowerCase()}.`)]),
    ...(allColumns.test(words)
      ? [say("names no columns: a column that is added later must not travel by itself.")]
      : []),
    ...(/\blimit\b/.test(anyRows(words)) && !/\border by\b/.test(words)
      ? [say("has a limit without an order: say which rows come first.")]
      : []),
  ];
}

/** One row needs no order, and neither does a count of rows that are all alike. */
const anyRows = (words: string) =>
  words.replace(/\blimit\s+1\b/g, "").replace(/\bselect 1 from[^()]*?\blimit\s+\d+/g, "");

/** A statement of the product stands in queries.ts of its noun. */
export const sqlPlace: Rule = (sources) =>
  sources
    .filter(({ path }) => /^(server|cli|console)\//.test(path) || path === "bin.ts")
    .filter((source) => isScript(source) && !/(^|[/-])queries(-[\w-]+)?\.ts$/.test(source.path))
    .flatMap((source) =>
      sqlOf(source).map(({ line }) => ({
        rule: "sql-place",
        path: source.path,
        message: `line ${line} holds a statement: statements stand in queries.ts of their noun.`,
      })),
    );

const migrationName = /^migrations\/(\d{4})_[a-z0-9_]+\.sql$/;
export const checksumFile = "tests/tidy/migrations.json";

export const checksum = (text: string) => createHash("sha256").update(text).digest("hex");

export const migrationsOf = (sources: readonly Source[]) =>
  sources.filter(({ path }) => /^migrations\/.*\.sql$/.test(path));

export function recordedChecksums(sources: readonly Source[]): Record<string, string> {
  const file = sources.find(({ path }) => path === checksumFile);
  return JSON.parse(file?.text ?? "{}") as Record<string, string>;
}

export const migrations: Rule = (sources) => {
  const say = (path: string, message: string) => ({ rule: "migrations", path, message });
  const recorded = recordedChecksums(sources);
  const files = migrationsOf(sources);
  const names = new Set(files.map(({ path }) => path));
  const violations = files.flatMap(({ path, text }, index): Violation[] => {
    const number = Number(migrationName.exec(path)?.[1]);
    if (number !== index + 1)
      return [say(path, `should have number ${index + 1}: 0001_what_it_does.sql, without gaps.`)];
    if (recorded[path] === undefined)
      return [say(path, `is not in ${checksumFile}: node tools/test.ts --update-golden adds it.`)];
    if (recorded[path] !== checksum(text))
      return [say(path, `was edited: put it back and write a new migration. ${unreleased}`)];
    return [];
  });
  const gone = Object.keys(recorded).filter((path) => !names.has(path));
  return [...violations, ...gone.map((path) => say(path, "was removed: put it back."))];
};

const unreleased = `(Never part of a release? Take its line out of ${checksumFile} by hand, then --update-golden.)`;

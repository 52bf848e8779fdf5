// The tree as data: every file of ours as path and text, and text taken apart into code, literals and comments.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface Source {
  /** From the root of the checkout, with slashes: `kernel/base/clock.ts`. */
  path: string;
  text: string;
}

export interface Violation {
  rule: string;
  path: string;
  /** A sentence: what is wrong, and what to do instead. */
  message: string;
}

/** Source files in, violations out. */
export type Rule = (sources: readonly Source[]) => Violation[];

export const root = join(import.meta.dirname, "../..");

/** Made by machines or by npm: nobody reads them for style. In a linked work tree `.git` is a file. */
const foreign = new Set(["node_modules", ".git", "data", "dist", "build"]);
const binary = /\.(png|jpe?g|gif|ico|webp|woff2?|gz|tgz|zip|pdf|wasm|log)$|\.DS_Store$/;

export function readTree(directory = root): Source[] {
  const sources: Source[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (foreign.has(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && !binary.test(path))
        sources.push({ path, text: readFileSync(join(directory, path), "utf8") });
    }
  };
  visit("");
  return sources.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const isCode = ({ path }: Source) => /\.tsx?$/.test(path);

/** Written by hand: contract/ is generated, and looked at as a whole. */
export const isScript = (source: Source) => isCode(source) && !source.path.startsWith("contract/");

export const isTest = ({ path }: Source) => /\.test\.tsx?$/.test(path);

export interface Piece {
  kind: "code" | "literal" | "comment";
  text: string;
  line: number;
}

/** A `/` after one of these begins a regular expression; after anything else it divides. */
const beforeRegex =
  /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|=>|\b(?:return|typeof|case|of|in|await|void|throw))\s*$/;

/**
 * Good enough for formatted TypeScript, and cheap: no parser. Strings end at their line, so an apostrophe in JSX
 * text costs at most the rest of that line.
 */
export function takeApart(text: string): Piece[] {
  const pieces: Piece[] = [];
  let code = "";
  let line = 1;
  let codeLine = 1;
  let at = 0;
  const flush = () => {
    if (code !== "") pieces.push({ kind: "code", text: code, line: codeLine });
    code = "";
  };
  while (at < text.length) {
    const found = pieceAt(text, at, code);
    if (found === undefined) {
      if (code === "") codeLine = line;
      if (text[at] === "\n") line++;
      code += text[at++];
      continue;
    }
    flush();
    pieces.push({ ...found, line });
    line += found.text.split("\n").length - 1;
    at += found.text.length;
  }
  flush();
  return pieces;
}

function pieceAt(text: string, at: number, before: string): Omit<Piece, "line"> | undefined {
  const rest = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const literal = (found: string | undefined) =>
    found === undefined ? undefined : { kind: "literal" as const, text: found };
  switch (text[at]) {
    case '"':
      return literal(rest(/"(?:\\.|[^"\\\n])*"?/y));
    case "'":
      return literal(rest(/'(?:\\.|[^'\\\n])*'?/y));
    case "`":
      return literal(template(text, at));
    case "/": {
      const comment = rest(/\/\/[^\n]*|\/\*[^]*?\*\//y);
      if (comment !== undefined) return { kind: "comment", text: comment };
      if (!beforeRegex.test(before)) return undefined;
      return literal(rest(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y));
    }
    default:
      return undefined;
  }
}

/** A template with its holes: code in a hole counts as part of the literal, unless `codeOf` opens it. */
function template(text: string, start: number): string {
  let at = start + 1;
  while (at < text.length && text[at] !== "`") {
    if (text[at] === "\\") at += 2;
    else if (text.startsWith("${", at)) at = holeEnd(text, at + 2);
    else at++;
  }
  return text.slice(start, at + 1);
}

function quotedAt(text: string, at: number): string {
  const pattern = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/y;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function holeEnd(text: string, start: number): number {
  let depth = 1;
  let at = start;
  while (at < text.length && depth > 0) {
    const char = text[at];
    const quoted = char === '"' || char === "'" ? quotedAt(text, at) : "";
    if (char === "`") at += template(text, at).length;
    else if (quoted !== "") at += quoted.length;
    else {
      if (char === "{") depth++;
      if (char === "}") depth--;
      at++;
    }
  }
  return at;
}

/** The code alone, line for line: comments gone, literals emptied, holes of templates kept. */
export function codeOf(text: string): string {
  return takeApart(text)
    .map(({ kind, text }) => {
      if (kind === "code") return text;
      const breaks = "\n".repeat(text.split("\n").length - 1);
      if (kind === "comment") return breaks === "" ? " " : breaks;
      const holes = text.startsWith("`") ? holesOf(text).map((hole) => ` (${codeOf(hole)}) `) : [];
      return `""${holes.join("").replaceAll("\n", " ")}${breaks}`;
    })
    .join("");
}

function holesOf(text: string): string[] {
  const holes: string[] = [];
  let at = 1;
  while (at < text.length) {
    if (text[at] === "\\") at += 2;
    else if (text.startsWith("${", at)) {
      const end = holeEnd(text, at + 2);
      holes.push(text.slice(at + 2, end - 1));
      at = end;
    } else at++;
  }
  return holes;
}

/** Where a pattern stands in the code of a file: line numbers, from 1. */
export function linesWith(code: string, pattern: RegExp): number[] {
  return code.split("\n").flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));
}

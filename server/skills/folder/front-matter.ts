// The front matter of SKILL.md: the two texts that are needed of it, out of as much YAML as people write there.
import { isUtf8 } from "node:buffer";
import { invalid } from "../../../kernel/base/failure.ts";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { isPrintable } from "../../../kernel/base/name.ts";
import { limits } from "../limits.ts";

export interface FrontMatter {
  /** Undefined where it has none: the folder's name counts. */
  name: string | undefined;
  description: string;
}

const refused = (problem: string) => invalid(`files[]: SKILL.md: ${problem}`);

export function readFrontMatter(bytes: Buffer): FrontMatter {
  const fields = fieldsOf(linesOf(bytes));
  const description = fields.get("description") ?? "";
  const { descriptionCharactersMax: most } = limits;
  if (description === "")
    throw refused("its front matter must have a description, which says what the skill is for.");
  if (Array.from(description).length > most)
    throw refused(`its description must have at most ${most} characters.`);
  if (!isPrintable(description.replaceAll(/[\n\t]/g, " ")))
    throw refused("its description holds a character that cannot be seen; leave it out.");
  return { name: fields.get("name") || undefined, description };
}

const slug = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function expectSlug(name: string, from: "name" | "folder"): string {
  const { nameCharactersMax: most } = limits;
  if (slug.test(name) && name.length <= most) return name;
  const what = from === "name" ? "its name" : "its front matter has no name, and its folder's name";
  throw refused(
    `${what} must be 1 to ${most} small letters, digits and single hyphens between them, as in "pdf-forms".`,
  );
}

/** What stands between the two lines of hyphens. */
function linesOf(bytes: Buffer): string[] {
  const { frontMatterBytesMax: most } = limits;
  if (!isUtf8(bytes)) throw refused("is not UTF-8. Save it as UTF-8.");
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  const [first, ...lines] = text.split(/\r\n|\n|\r/);
  if (first?.trimEnd() !== "---")
    throw refused(
      'must begin with front matter: a line "---", name and description, another "---".',
    );
  const end = lines.findIndex((line) => line.trimEnd() === "---");
  if (end === -1) throw refused('its front matter has no end; close it with a line "---".');
  const head = lines.slice(0, end);
  if (Buffer.byteLength(head.join("\n")) > most)
    throw refused(`its front matter has more than ${most} bytes; move text below it.`);
  return head;
}

/** Fields at the left margin; what is indented below one belongs to it. */
function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < lines.length;) {
    const [, key, inline = ""] =
      /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/.exec(lines[at] ?? "") ?? [];
    const from = at + 1;
    do at += 1;
    while (at < lines.length && /^(?:[ \t]|$)/.test(lines[at] ?? ""));
    if (key !== "name" && key !== "description") continue;
    if (fields.has(key)) throw refused(`its front matter has two fields ${key}; keep one.`);
    fields.set(key, textOf(key, inline.trim(), lines.slice(from, at)).trim());
  }
  return fields;
}

function textOf(key: string, inline: string, below: readonly string[]): string {
  const block = /^([|>])[-+0-9]{0,2}(?:[ \t]+#.*)?$/.exec(inline)?.[1];
  if (block !== undefined) return blockOf(below, block);
  const whole = [inline, ...below.map((line) => line.trim())].join(" ").trim();
  if (whole.startsWith('"')) return doubleQuoted(key, whole);
  if (whole.startsWith("'")) return singleQuoted(key, whole);
  if (/^[[{&*!%@`]/.test(whole)) throw refused(`its ${key} must be a text; put it in quotes.`);
  return whole.replace(/(?:^|[ \t])#.*$/, "");
}

/** `|` keeps lines, `>` makes one of those that stand together. */
function blockOf(lines: readonly string[], style: string): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/[^ \t]/));
  const text = lines.map((line) => line.slice(Math.min(...indents)).trimEnd()).join("\n");
  return style === "|"
    ? text
    : text.replaceAll(/(?<=[^\n])\n(?=[^\n \t])/g, " ").replaceAll(/\n\n/g, "\n");
}

const afterQuote = /^[ \t]*(?:#.*)?$/;

function doubleQuoted(key: string, text: string): string {
  const [quoted = "", rest = "-"] = /^("(?:[^"\\]|\\.)*")(.*)$/.exec(text)?.slice(1) ?? [];
  try {
    if (afterQuote.test(rest)) return parseExactly(quoted.replaceAll("\t", "\\t")) as string;
  } catch {
    // YAML has escapes that JSON has not; nobody needs them here.
  }
  throw refused(
    `its ${key} begins with a double quote and does not end with one, or has an unknown escape.`,
  );
}

function singleQuoted(key: string, text: string): string {
  const [quoted, rest = "-"] = /^'((?:[^']|'')*)'(.*)$/.exec(text)?.slice(1) ?? [];
  if (quoted !== undefined && afterQuote.test(rest)) return quoted.replaceAll("''", "'");
  throw refused(`its ${key} begins with a quote and does not end with one.`);
}

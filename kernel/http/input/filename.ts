// The path or the name that a file of a form may carry: tidy, and never out of its folder.
import { invalid } from "../../base/failure.ts";
import { httpLimits } from "../limits.ts";

/**
 * Marks, embeddings, overrides and isolates that turn the direction of text round: with them `gpj.exe` reads as
 * `exe.jpg`. And signs without a width: with them two names look the same, or an extension is another one. They cannot
 * be seen, so a name is kept without them; joiners stay, because emoji and some scripts are written with them.
 */
const unseen = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** `./my-skill//SKILL.md` becomes `my-skill/SKILL.md`; a path that points elsewhere is refused, not repaired. */
export function tidyPath(field: string, filename: string): string {
  const path = filename.replaceAll(unseen, "").replaceAll("\\", "/");
  const steps = path.split("/").filter((step) => step !== "" && step !== ".");
  if (steps.length === 0) throw invalid(`${field}: has no filename; name the file.`);
  if (path.startsWith("/") || /^[a-z]:/i.test(path))
    throw invalid(`${field}: the filename must be a relative path, not an absolute one.`);
  if (steps.includes("..")) throw invalid(`${field}: the filename must not contain "..".`);
  return printable(field, steps.join("/"));
}

/**
 * `../up\\report.pdf` becomes `report.pdf`; what is no name, such as `..`, becomes nothing. Clients write a quotation
 * mark as %22, and nothing else so.
 */
export function lastPart(field: string, filename: string | undefined): string {
  const path = (filename ?? "").replaceAll(unseen, "");
  const last = path.split(/[/\\]/).at(-1)?.trim().replaceAll("%22", '"') ?? "";
  return last === "." || last === ".." ? "" : printable(field, last);
}

/** For a noun that has rules of its own for paths. Clients write a quotation mark as %22. */
export const givenName = (_field: string, filename: string | undefined): string =>
  (filename ?? "").replaceAll("%22", '"');

function printable(field: string, name: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name))
    throw invalid(`${field}: the filename must not contain control characters.`);
  if (Buffer.byteLength(name) > httpLimits.filenameBytesMax)
    throw invalid(`${field}: the filename must have at most ${httpLimits.filenameBytesMax} bytes.`);
  return name;
}

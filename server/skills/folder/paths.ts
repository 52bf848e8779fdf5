// Paths of files in a skill: what one may be, and which two cannot stand beside each other.
import { Failure } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";

/** Names are the caller's texts: the log gets the sentence without them. */
export function fileRefused(path: string, problem: string, status = 400): Failure {
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return new Failure("invalid_request_error", `files[]: ${JSON.stringify(shown)} ${problem}`, {
    status,
    logged: `A file of a skill was refused: it ${problem}`,
  });
}

/** Control and format characters, with them what turns the direction of text, and what has no sign to be shown by. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}\ufffd]/u;

/** Composed, with `/` between its steps; refused where it leads out of its folder or shows as another than it is. */
export function cleanPath(given: string): string {
  const path = given
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "")
    .normalize("NFC");
  if (path.startsWith("/") || /^[a-z]:/i.test(path))
    throw fileRefused(given, "is an absolute path. Name it by its path below the skill's folder.");
  if (unprintable.test(path))
    throw fileRefused(given, "holds a character that cannot be seen. Rename it.");
  if (Buffer.byteLength(path) > limits.pathBytesMax)
    throw fileRefused(given, `has more than ${limits.pathBytesMax} bytes. Shorten its path.`);
  const steps = path.split("/");
  if (steps.length > limits.pathSegmentsMax)
    throw fileRefused(given, `lies deeper than ${limits.pathSegmentsMax} steps. Move it up.`);
  for (const step of steps)
    if (step === "" || step === "." || step === ".." || step !== step.trim())
      throw fileRefused(
        given,
        'has a step that is empty, "." or "..", or begins or ends with a blank. Rename it.',
      );
  return path;
}

/** As file systems compare names where neither case nor spelling counts. */
const folded = (name: string) =>
  name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");

const inTheWay = (path: string, of: string) =>
  fileRefused(
    path,
    `stands in the way of ${JSON.stringify(of)}: names must differ by more than case or spelling. Rename one.`,
  );

/** Refuses a path that on some disk is one that came before, is in its way, or spells one of its folders otherwise. */
export function pathCheck(): (path: string) => void {
  const seen = new Map<string, { path: string; isFile: boolean }>();
  const meet = (path: string, isFile: boolean, whole: string) => {
    const key = folded(path);
    const before = seen.get(key);
    if (before === undefined) seen.set(key, { path, isFile });
    else if (isFile || before.isFile || before.path !== path) throw inTheWay(whole, before.path);
  };
  return (path) => {
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
      meet(path.slice(0, at), false, path);
    meet(path, true, path);
  };
}

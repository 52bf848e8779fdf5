// A difference as `diff -u` writes it, which `patch` takes.
import { changesOf, linesOf, type Change } from "../../client/text/diff.ts";

export type LineKind = "head" | "hunk" | "same" | "goes" | "comes";

export interface DiffSide {
  text: string;
  /** The name in the head line. */
  name: string;
}

export interface UnifiedLine {
  kind: LineKind;
  /** With its line feed. */
  text: string;
}

/** Lines around each change, unless the caller says otherwise. */
export const contextLines = 3;

/** None where the texts are equal. */
export function unifiedDiff(
  before: DiffSide,
  after: DiffSide,
  context = contextLines,
): UnifiedLine[] {
  const [a, b] = [linesOf(before.text), linesOf(after.text)];
  const groups = groupsOf(changesOf(a, b), 2 * context);
  if (groups.length === 0) return [];
  return [
    { kind: "head", text: `--- ${before.name}\n` },
    { kind: "head", text: `+++ ${after.name}\n` },
    ...groups.flatMap((changes) => hunk(a, b, changes, context)),
  ];
}

/** Changes with no more equal lines in between than this share a hunk. */
function groupsOf(changes: readonly Change[], gapMax: number): Change[][] {
  const groups: Change[][] = [];
  let endedAt = -Infinity;
  for (const change of changes) {
    const group = groups.at(-1);
    if (group !== undefined && change.oldFrom - endedAt <= gapMax) group.push(change);
    else groups.push([change]);
    endedAt = change.oldTo;
  }
  return groups;
}

function hunk(
  a: readonly string[],
  b: readonly string[],
  changes: readonly Change[],
  context: number,
): UnifiedLine[] {
  const [first, last] = [changes.at(0), changes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const before = Math.min(context, first.oldFrom);
  const from = first.oldFrom - before;
  const to = Math.min(last.oldTo + context, a.length);
  const [newFrom, newTo] = [first.newFrom - before, last.newTo + (to - last.oldTo)];
  const header = `@@ -${range(from, to)} +${range(newFrom, newTo)} @@\n`;
  const lines: UnifiedLine[] = [{ kind: "hunk", text: header }];
  let at = from;
  for (const change of changes) {
    lines.push(...signed("same", a.slice(at, change.oldFrom)));
    lines.push(...signed("goes", a.slice(change.oldFrom, change.oldTo)));
    lines.push(...signed("comes", b.slice(change.newFrom, change.newTo)));
    at = change.oldTo;
  }
  return [...lines, ...signed("same", a.slice(at, to))];
}

/** Counted from 1; an empty range has the number of the line before it. */
function range(from: number, to: number): string {
  const lines = to - from;
  if (lines === 1) return `${from + 1}`;
  return `${lines === 0 ? from : from + 1},${lines}`;
}

const signs = { same: " ", goes: "-", comes: "+" } as const;

const signed = (kind: keyof typeof signs, lines: readonly string[]): UnifiedLine[] =>
  lines.map((line) => {
    const whole = line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
    return { kind, text: `${signs[kind]}${whole}` };
  });

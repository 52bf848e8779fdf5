// The inputs of tools, as models write them: what is missing or of the wrong kind is said in a sentence.
import { posix } from "node:path";

export type ToolInput = Readonly<Record<string, unknown>>;

/** Goes to the model as the result of its call. */
export class ToolFault extends Error {
  override readonly name = "ToolFault";
}

export function textOf(input: ToolInput, field: string): string {
  const value = input[field];
  if (typeof value !== "string") throw new ToolFault(`${field}: must be a text.`);
  return value;
}

export function optionalText(input: ToolInput, field: string): string | undefined {
  return input[field] == null ? undefined : textOf(input, field);
}

/** Of a few words each. */
export function optionalTexts(input: ToolInput, field: string): readonly string[] | undefined {
  const value = input[field];
  if (value == null) return undefined;
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
    throw new ToolFault(`${field}: must be a list of texts.`);
  return value;
}

export function flagOf(input: ToolInput, field: string): boolean {
  const value = input[field] ?? false;
  if (typeof value !== "boolean") throw new ToolFault(`${field}: must be true or false.`);
  return value;
}

export function optionalWhole(
  input: ToolInput,
  field: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const value = input[field];
  if (value == null) return undefined;
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
    throw new ToolFault(`${field}: must be a whole number from ${least} to ${most}.`);
  return value as number;
}

/** Relative ones are of `/workspace`, wherever the shell stands. */
export function pathOf(text: string, field: string): string {
  if (text === "") throw new ToolFault(`${field}: must not be empty.`);
  if (text.includes("\0")) throw new ToolFault(`${field}: has a NUL in it.`);
  return posix.resolve("/workspace", text);
}

/** The first and the last line, counted from 1; the last one may be -1 for the end. */
export function linesOf(input: ToolInput): [from: number, to: number] | undefined {
  const range = input["view_range"];
  if (range == null) return undefined;
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isSafeInteger))
    throw new ToolFault("view_range: must be two whole numbers, the first and the last line.");
  const [from, to] = range as [number, number];
  if (from < 1) throw new ToolFault("view_range: lines are counted from 1.");
  if (to !== -1 && to < from)
    throw new ToolFault("view_range: the last line must not be before the first; -1 is the end.");
  return [from, to];
}

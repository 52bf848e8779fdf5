// Finds which turn, block or tool of a request does not fit: long bodies are searched by compiled checks.
import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { Failure } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import { ContentBlock, SystemTurnBlock, Text, Tool } from "./blocks.ts";
import { invalidField, shapeFailure, sizeOf } from "../problem.ts";
import { Turn } from "./shape.ts";

type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

interface Part {
  schema: TSchema;
  fits(value: unknown): boolean;
}

/** Compiled when first needed: most processes see no such failure, and all five take 0.15 s. */
const partOf = (schema: TSchema): Part => {
  let compiled: { Check(value: unknown): boolean } | undefined;
  return { schema, fits: (value) => (compiled ??= Compile(schema)).Check(value) };
};
const turnPart = partOf(Turn);
const toolPart = partOf(Tool);
const textPart = partOf(Text);
const blockPart = partOf(ContentBlock);
const systemBlockPart = partOf(SystemTurnBlock);

const fieldParts = new Map<TSchema, Part>();

/**
 * To explain a value is 100 times as slow as to check it, 3 s for 100,000 turns: so only the part that does
 * not fit is explained.
 */
export function locateFailure(schema: TObject, body: Fields): Failure {
  const { model, max_tokens, messages, tools, system } = body;
  const inLists =
    turnFailure(messages) ??
    firstFailure(tools, toolPart, ["tools"]) ??
    firstFailure(system, textPart, ["system"]);
  if (inLists !== undefined) return inLists;
  for (const [name, field] of Object.entries(schema.properties)) {
    if (name === "messages" || !Object.hasOwn(body, name)) continue;
    let part = fieldParts.get(field);
    if (part === undefined) fieldParts.set(field, (part = partOf(field)));
    if (!part.fits(body[name])) return shapeFailure(field, body[name], [name]);
  }
  // All that is there fits: something is missing, or messages are no list of turns.
  const turns = Array.isArray(messages) ? messages.slice(0, 1) : messages;
  const given = { model, max_tokens, messages: turns };
  return shapeFailure(
    schema,
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
}

function turnFailure(messages: unknown): Failure | undefined {
  if (!Array.isArray(messages)) return undefined;
  if (messages.length > limits.messagesMax)
    return invalidField(
      ["messages"],
      `must have at most ${limits.messagesMax} turns`,
      sizeOf(messages),
    );
  const at = messages.findIndex((turn) => !turnPart.fits(turn));
  if (at === -1) return undefined;
  const turn: unknown = messages[at];
  const { role, content } = (turn ?? {}) as Fields;
  const part = role === "system" ? systemBlockPart : blockPart;
  const inContent = firstFailure(content, part, ["messages", at, "content"]);
  const isKnown = role === "user" || role === "assistant" || role === "system";
  return (isKnown ? inContent : undefined) ?? shapeFailure(turnPart.schema, turn, ["messages", at]);
}

function firstFailure(items: unknown, part: Part, path: Path): Failure | undefined {
  if (!Array.isArray(items)) return undefined;
  const at = items.findIndex((item) => !part.fits(item));
  if (at === -1) return undefined;
  const item: unknown = items[at];
  const type = (item as Fields | null)?.["type"];
  // One kind alone has no tag to be told apart by, and its other fields would be named first.
  if (part === textPart && typeof type === "string" && type !== "text")
    return invalidField([...path, at, "type"], 'must be "text"', type);
  return shapeFailure(part.schema, item, [...path, at]);
}

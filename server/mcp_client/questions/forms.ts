// Forms that an MCP server has a person fill in: the fields that the protocol knows, and whether a value fits one.
import Type, { type Static } from "typebox";
import { Check, Clean } from "typebox/value";

const Words = Type.Optional(Type.String());
const Size = Type.Optional(Type.Integer({ minimum: 0 }));
const named = { title: Words, description: Words };
const Choices = Type.Array(Type.String(), { minItems: 1 });
const TitledChoices = Type.Array(Type.Object({ const: Type.String(), title: Type.String() }), {
  minItems: 1,
});

const TextField = Type.Object({
  ...named,
  type: Type.Literal("string"),
  minLength: Size,
  maxLength: Size,
  format: Words,
  default: Words,
  enum: Type.Optional(Choices),
  /** What each of `enum` is called, in the older revisions. */
  enumNames: Type.Optional(Type.Array(Type.String())),
  oneOf: Type.Optional(TitledChoices),
});
const NumberField = Type.Object({
  ...named,
  type: Type.Enum(["number", "integer"]),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  default: Type.Optional(Type.Number()),
});
const BooleanField = Type.Object({
  ...named,
  type: Type.Literal("boolean"),
  default: Type.Optional(Type.Boolean()),
});
const ListField = Type.Object({
  ...named,
  type: Type.Literal("array"),
  minItems: Size,
  maxItems: Size,
  default: Type.Optional(Type.Array(Type.String())),
  items: Type.Object({
    type: Type.Optional(Type.Literal("string")),
    enum: Type.Optional(Choices),
    anyOf: Type.Optional(TitledChoices),
  }),
});

const fields = { string: TextField, number: NumberField, boolean: BooleanField, array: ListField };
type TextField = Static<typeof TextField>;
type NumberField = Static<typeof NumberField>;
type ListField = Static<typeof ListField>;
export type FormField = TextField | NumberField | Static<typeof BooleanField> | ListField;

export interface Form {
  type: "object";
  properties: Record<string, FormField>;
  required: string[];
}

export type FormValue = string | number | boolean | string[];

const Outline = Type.Object({
  type: Type.Literal("object"),
  properties: Type.Record(Type.String(), Type.Object({ type: Type.String() })),
  required: Type.Optional(Type.Array(Type.String())),
});

/** Without the keywords that no form has. Undefined where it cannot be filled in. */
export function readForm(schema: unknown): Form | undefined {
  if (!Check(Outline, schema)) return undefined;
  const { properties, required = [] } = schema;
  const read: [string, FormField][] = [];
  for (const [name, given] of Object.entries(properties)) {
    const field = readField(given);
    if (field === undefined) return undefined;
    read.push([name, field]);
  }
  if (!required.every((name) => Object.hasOwn(properties, name))) return undefined;
  return { type: "object", properties: Object.fromEntries(read), required };
}

function readField(given: { type: string }): FormField | undefined {
  const type = given.type === "integer" ? "number" : given.type;
  if (!Object.hasOwn(fields, type)) return undefined;
  const shape = fields[type as keyof typeof fields];
  const field = Clean(shape, structuredClone(given)) as FormField;
  if (!Check(shape, field)) return undefined;
  return field.type === "array" && choicesOf(field) === undefined ? undefined : field;
}

/** The first thing that is wrong with what was filled in: at a field, or, without a name, with all of it. */
export function problemWith(
  { properties, required }: Form,
  given: unknown,
): { name?: string; words: string } | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return { words: "must be an object with the fields of the form" };
  const missing = required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return { name: missing, words: "is required" };
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const words = field === undefined ? "is no field of the form" : problemOf(field, value);
    if (words !== undefined) return { name, words };
  }
  return undefined;
}

function problemOf(field: FormField, value: unknown): string | undefined {
  switch (field.type) {
    case "string":
      return problemOfText(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "array":
      return problemOfList(field, value);
    default:
      return problemOfNumber(field, value);
  }
}

function problemOfText(field: TextField, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a text";
  const { minLength = 0, maxLength = Infinity, format = "" } = field;
  const choices = choicesOf(field);
  if (choices !== undefined && !choices.includes(value)) return oneOf(choices);
  // As JSON Schema counts: characters, not their halves.
  const { length } = Array.from(value);
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined;
  return known === undefined || known.fits(value) ? undefined : `must be ${known.words}`;
}

function problemOfNumber(
  { type, minimum, maximum }: NumberField,
  value: unknown,
): string | undefined {
  if (typeof value !== "number") return "must be a number";
  if (type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  return maximum !== undefined && value > maximum ? `must be at most ${maximum}` : undefined;
}

function problemOfList(field: ListField, value: unknown): string | undefined {
  const choices = choicesOf(field) ?? [];
  if (!Array.isArray(value)) return "must be a list";
  const { minItems = 0, maxItems = Infinity } = field;
  if (value.length < minItems) return `must have at least ${minItems} items`;
  if (value.length > maxItems) return `must have at most ${maxItems} items`;
  const isEachGood = value.every((each) => typeof each === "string" && choices.includes(each));
  return isEachGood ? undefined : `must be a list, each item of which ${oneOf(choices)}`;
}

function choicesOf(field: TextField | ListField): string[] | undefined {
  const { enum: plain, titled } =
    field.type === "array"
      ? { enum: field.items.enum, titled: field.items.anyOf }
      : { enum: field.enum, titled: field.oneOf };
  return plain ?? titled?.map((choice) => choice.const);
}

const shownChoices = 20;

function oneOf(choices: readonly string[]): string {
  const shown = choices.slice(0, shownChoices).map((choice) => JSON.stringify(choice));
  return `must be one of ${shown.join(", ")}${choices.length > shownChoices ? ", …" : ""}`;
}

const day = /^\d{4}-\d{2}-\d{2}$/;
const moment =
  /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** The 30th of February is none. */
function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/** Those of the protocol; another one is held against no value. */
const formats: Record<string, { words: string; fits: (text: string) => boolean } | undefined> = {
  email: {
    words: "an email address",
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  },
  uri: {
    words: "an address with its scheme, such as https://…",
    fits: (text) => URL.canParse(text),
  },
  date: {
    words: "a day, such as 2026-12-31",
    fits: (text) => day.test(text) && isDay(text),
  },
  "date-time": {
    words: "a time with its offset, such as 2026-12-31T12:00:00Z",
    fits: (text) => moment.test(text) && isDay(text.slice(0, 10)),
  },
};

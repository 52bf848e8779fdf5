// The fields of a form for the input of a tool, from its JSON Schema; what does not fit into one is written as JSON.

type Schema = Readonly<Record<string, unknown>>;

export interface InputField {
  name: string;
  /** A choice is between values, each written as JSON; `whole` is the input itself. */
  kind: "text" | "number" | "integer" | "choice" | "json" | "whole";
  required: boolean;
  /** What kind of value it is, in words. */
  type: string;
  description: string | undefined;
  choices: readonly { value: string; label: string }[];
  /** What stands in it at first. */
  start: string;
}

/** Of a choice: no value. It is no JSON. */
export const notGiven = "not given";

export function inputFields(schema: Schema): InputField[] {
  const properties = objectOf(schema["properties"]);
  const isPlain = ["oneOf", "anyOf", "allOf", "$ref"].every((word) => schema[word] === undefined);
  if (!isPlain || (properties === undefined && schema["additionalProperties"] !== undefined))
    return [wholeField];
  const required = arrayOf(schema["required"]);
  return Object.entries(properties ?? {}).map(([name, given]) => {
    const about = objectOf(given) ?? {};
    return fieldOf(name, plainSchema(about, schema), {
      required: required.includes(name),
      description: wordsIn(about["description"]),
      standard: about["default"],
    });
  });
}

const wholeField: InputField = {
  name: "",
  kind: "whole",
  required: true,
  type: "object",
  description: undefined,
  choices: [],
  start: "{}",
};

function fieldOf(
  name: string,
  schema: Schema,
  known: { required: boolean; description: string | undefined; standard: unknown },
): InputField {
  const { required, description, standard } = known;
  const values = valuesOf(schema);
  const type = typeWords(schema);
  const field = { name, required, description, type, choices: [] };
  const start = standard === undefined ? "" : JSON.stringify(standard);
  if (values !== undefined) {
    const choices = values.map((value) => ({
      value: JSON.stringify(value),
      label: labelOf(value),
    }));
    const isOffered = choices.some(({ value }) => value === start);
    const more = required ? [] : [{ value: notGiven, label: "Not given" }];
    const first = required ? choices[0]?.value : notGiven;
    return {
      ...field,
      kind: "choice",
      choices: [...more, ...choices],
      start: isOffered ? start : (first ?? notGiven),
    };
  }
  const kind = schema["type"];
  if (kind === "string")
    return { ...field, kind: "text", start: typeof standard === "string" ? standard : "" };
  if (kind === "number" || kind === "integer") return { ...field, kind, start };
  return { ...field, kind: "json", start };
}

/** Without a pointer to another place of the schema, and without null beside one type. */
function plainSchema(schema: Schema, whole: Schema, depth = 0): Schema {
  if (depth > 8) return {};
  const { $ref: pointer, anyOf, oneOf, type } = schema;
  if (typeof pointer === "string") return plainSchema(placeIn(whole, pointer), whole, depth + 1);
  const several = arrayOf(anyOf ?? oneOf).map((each) => objectOf(each) ?? {});
  const rest = several.filter((each) => each["type"] !== "null");
  if (rest.length === 1 && rest[0] !== undefined) return plainSchema(rest[0], whole, depth + 1);
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== "null");
    return types.length === 1 ? { ...schema, type: types[0] } : {};
  }
  return several.length > 0 ? {} : schema;
}

function placeIn(whole: Schema, pointer: string): Schema {
  const steps = pointer.startsWith("#/") ? pointer.slice(2).split("/") : [];
  let place: Schema = steps.length === 0 ? {} : whole;
  for (const step of steps)
    place = objectOf(place[step.replaceAll("~1", "/").replaceAll("~0", "~")]) ?? {};
  return place;
}

function valuesOf(schema: Schema): unknown[] | undefined {
  if (schema["const"] !== undefined) return [schema["const"]];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return schema["enum"];
  return schema["type"] === "boolean" ? [true, false] : undefined;
}

function labelOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function typeWords(schema: Schema): string {
  const { type, format, items } = schema;
  if (type === "boolean") return "yes or no";
  if (valuesOf(schema) !== undefined) return "one of a few";
  if (type === "string") return typeof format === "string" ? `text (${format})` : "text";
  if (type === "integer") return "whole number";
  if (type === "number" || type === "object") return type;
  if (type !== "array") return "JSON";
  const inner = objectOf(items)?.["type"];
  return typeof inner === "string" ? `list of ${inner}` : "list";
}

const objectOf = (value: unknown): Schema | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Schema)
    : undefined;
const arrayOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const wordsIn = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

type Texts = Readonly<Record<string, string>>;

/** What is wrong in what was typed, by the names of the fields. */
export const faultsIn = (fields: readonly InputField[], texts: Texts): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const read = readField(field, texts[field.name] ?? "");
      return read.fault === undefined ? [] : [[field.name, read.fault]];
    }),
  );

/** What the tool is given: a field that is left empty is left out. */
export function inputOf(fields: readonly InputField[], texts: Texts): Record<string, unknown> {
  const read = fields.map((field) => [field, readField(field, texts[field.name] ?? "")] as const);
  const [first] = read;
  if (first?.[0].kind === "whole") return (first[1].value ?? {}) as Record<string, unknown>;
  const given = read.filter(([, { value }]) => value !== undefined);
  return Object.fromEntries(given.map(([{ name }, { value }]) => [name, value]));
}

function readField(
  { kind, required }: InputField,
  text: string,
): { value?: unknown; fault?: string } {
  if (kind === "choice") return text === notGiven ? {} : { value: JSON.parse(text) as unknown };
  if (text.trim() === "") return required ? { fault: "The tool must be given this." } : {};
  if (kind === "text") return { value: text };
  if (kind === "number" || kind === "integer") {
    const value = Number(text);
    if (!Number.isFinite(value)) return { fault: "Write a number." };
    return kind === "integer" && !Number.isInteger(value)
      ? { fault: "Write a whole number." }
      : { value };
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (kind === "whole" && objectOf(value) === undefined)
      return { fault: 'Write a JSON object, such as {"name": "value"}.' };
    return { value };
  } catch {
    return { fault: 'This is no JSON. Text stands in quotes, as in ["one", "two"].' };
  }
}

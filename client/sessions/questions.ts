// What an MCP server asks in a session, as fields that a person fills in, and the answer that is sent back.

/** An event `agent.custom_tool_use`, as far as it is read here. */
interface AskingEvent {
  type: string;
  [field: string]: unknown;
}

export interface Asked {
  server: string;
  tool: string;
  /** The call that waits. */
  callId: string;
  questions: AskedQuestion[];
}

export type AskedQuestion = { key: string; message: string } & (
  | { mode: "url"; url: string; host: string }
  | { mode: "form"; fields: AskedField[] }
);

export interface AskedField {
  name: string;
  label: string;
  description: string;
  isRequired: boolean;
  kind: "text" | "email" | "url" | "date" | "datetime" | "number" | "boolean" | "one" | "several";
  choices: { value: string; label: string }[];
  initial: FieldValue;
}

/** As it is typed or chosen; an empty one is not sent. */
export type FieldValue = string | boolean | string[];

export type QuestionAction = "accept" | "decline" | "cancel";
type Sent = string | number | boolean | string[];
export interface QuestionAnswer {
  action: QuestionAction;
  content?: Record<string, Sent>;
}

/** Undefined where the call is one of a custom tool, and no question. */
export function askedIn({ type, name, input }: AskingEvent): Asked | undefined {
  const { server, tool, mcp_tool_use_id: callId, requests } = fieldsOf(input);
  const isQuestion = type === "agent.custom_tool_use" && name === "mcp_input";
  if (!isQuestion || typeof callId !== "string" || requests === undefined) return undefined;
  const questions = Object.entries(fieldsOf(requests)).map(([key, given]) =>
    questionOf(key, fieldsOf(given)),
  );
  if (questions.length === 0) return undefined;
  return { server: text(server), tool: text(tool), callId, questions };
}

function questionOf(key: string, given: Fields): AskedQuestion {
  const message = text(given["message"]);
  if (given["mode"] === "url") {
    const url = text(given["url"]);
    return { key, message, mode: "url", url, host: URL.parse(url)?.host ?? "" };
  }
  const { properties, required } = fieldsOf(given["requestedSchema"]);
  const names = Array.isArray(required) ? required : [];
  const fields = Object.entries(fieldsOf(properties)).map(([name, schema]) =>
    fieldOf(name, fieldsOf(schema), names.includes(name)),
  );
  return { key, message, mode: "form", fields };
}

const kinds: Record<string, AskedField["kind"]> = {
  email: "email",
  uri: "url",
  date: "date",
  "date-time": "datetime",
};

function fieldOf(name: string, schema: Fields, isRequired: boolean): AskedField {
  const { type, title, description, format, items, default: initial } = schema;
  const base = { name, label: text(title) || name, description: text(description), isRequired };
  if (type === "boolean")
    return { ...base, kind: "boolean", choices: [], initial: initial === true };
  if (type === "array") {
    const chosen = Array.isArray(initial) ? initial.map(text) : [];
    return { ...base, kind: "several", choices: choicesOf(fieldsOf(items)), initial: chosen };
  }
  const known = typeof initial === "string" || typeof initial === "number" ? String(initial) : "";
  if (type === "number" || type === "integer")
    return { ...base, kind: "number", choices: [], initial: known };
  const choices = choicesOf(schema);
  const kind = choices.length > 0 ? "one" : (kinds[text(format)] ?? "text");
  return { ...base, kind, choices, initial: known };
}

function choicesOf(schema: Fields): AskedField["choices"] {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled))
    return titled.map((each) => {
      const value = text(fieldsOf(each)["const"]);
      return { value, label: text(fieldsOf(each)["title"]) || value };
    });
  const { enum: values, enumNames: names } = schema;
  if (!Array.isArray(values)) return [];
  const labels: unknown[] = Array.isArray(names) ? names : [];
  return values.map((value, at) => ({
    value: text(value),
    label: text(labels[at]) || text(value),
  }));
}

/** What is sent of it; undefined where it is left out. Throws a sentence where it cannot be sent. */
export function sentOf({ kind, isRequired }: AskedField, value: FieldValue): Sent | undefined {
  if (typeof value === "boolean") return value;
  if (value.length === 0) {
    // A choice of several may be empty: that it must not is said by the server.
    if (isRequired && kind !== "several") throw new Error("This is required.");
    return kind === "several" && isRequired ? [] : undefined;
  }
  if (typeof value !== "string" || kind !== "number") return value;
  const number = Number(value);
  if (!Number.isFinite(number)) throw new Error("This must be a number.");
  return number;
}

/** The text of the result that answers all questions of an event. */
export const answerText = (answers: Record<string, QuestionAnswer>): string =>
  JSON.stringify(answers);

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const text = (value: unknown): string => (typeof value === "string" ? value : "");

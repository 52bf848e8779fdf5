// What is wrong with one request of a batch, told before anything is sent; and what is shown of one that is right.

/** Custom ids, and the lines that they stand on. */
export type Known = Map<string, number>;

interface Judged {
  fault: string | undefined;
  customId: string;
  model: string;
  maxTokens: string;
  /** The first words of the first turn. */
  said: string;
}

const plainId = /^[a-zA-Z0-9_-]{1,64}$/;
const saidCharacters = 160;
const nothing = { customId: "", model: "", maxTokens: "", said: "" };

export function judgeRequest(value: unknown, line: number, known: Known): Judged {
  if (!isObject(value))
    return { ...nothing, fault: "This must be an object with custom_id and params." };
  const { custom_id: id, params, ...more } = value;
  const fault = faultOfId(id, line, known) ?? faultOfParams(params) ?? faultOfRest(more);
  if (fault !== undefined || !isObject(params)) return { ...nothing, fault };
  const { model, max_tokens: max, messages } = params;
  return {
    fault: undefined,
    customId: typeof id === "string" ? id : "",
    model: typeof model === "string" ? model : "",
    maxTokens: typeof max === "number" ? max.toLocaleString("en") : "",
    said: saidIn(messages),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function faultOfId(id: unknown, line: number, known: Known): string | undefined {
  if (id === undefined) return "custom_id is missing.";
  if (typeof id !== "string") return "custom_id must be a string.";
  if (!plainId.test(id))
    return `custom_id must be 1 to 64 letters a-z and A-Z, digits, _ and -; here it is ${shown(id)}.`;
  const before = known.get(id);
  known.set(id, before ?? line);
  return before === undefined ? undefined : `custom_id ${id} stands on line ${before} already.`;
}

function faultOfParams(params: unknown): string | undefined {
  if (params === undefined)
    return "params is missing: the request itself, as for POST /v1/messages.";
  return isObject(params) ? undefined : "params must be an object.";
}

function faultOfRest(more: Record<string, unknown>): string | undefined {
  const [name] = Object.keys(more);
  if (name === undefined) return undefined;
  return `${shown(name)} is not known here: a request has custom_id and params, and nothing beside them.`;
}

const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

function saidIn(messages: unknown): string {
  const [turn] = Array.isArray(messages) ? (messages as unknown[]) : [];
  const content = isObject(turn) ? turn["content"] : undefined;
  const texts = Array.isArray(content)
    ? (content as unknown[]).map((block) => (isObject(block) ? block["text"] : undefined))
    : [content];
  const first = texts.find((text) => typeof text === "string" && text !== "") as string | undefined;
  const line = (first ?? "").slice(0, 1_000).replaceAll(/\s+/g, " ").trim();
  return line.length > saidCharacters ? `${line.slice(0, saidCharacters)}…` : line;
}

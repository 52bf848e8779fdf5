// What is wrong with one request of a batch, told before anything is sent; and what is shown of one that is right.
import {
  idFaultOf,
  isObject,
  unknownFieldOf,
  type KnownIds,
} from "../../../client/batches/request.ts";

interface Judged {
  fault: string | undefined;
  customId: string;
  model: string;
  maxTokens: string;
  /** The first words of the first turn. */
  said: string;
}

const saidCharacters = 160;
const nothing = { customId: "", model: "", maxTokens: "", said: "" };

export function judgeRequest(value: unknown, line: number, known: KnownIds): Judged {
  if (!isObject(value))
    return { ...nothing, fault: "This must be an object with custom_id and params." };
  const { custom_id: id, params } = value;
  const fault = faultOfId(id, line, known) ?? faultOfParams(params) ?? faultOfRest(value);
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

function faultOfId(id: unknown, line: number, known: KnownIds): string | undefined {
  const fault = idFaultOf(id, line, known);
  if (fault === undefined) return undefined;
  if (fault.kind === "missing") return "custom_id is missing.";
  if (fault.kind === "no_string") return "custom_id must be a string.";
  return fault.kind === "form"
    ? `custom_id must be 1 to 64 letters a-z and A-Z, digits, _ and -; here it is ${shown(fault.id)}.`
    : `custom_id ${fault.id} stands on line ${fault.lineBefore} already.`;
}

function faultOfParams(params: unknown): string | undefined {
  if (params === undefined)
    return "params is missing: the request itself, as for POST /v1/messages.";
  return isObject(params) ? undefined : "params must be an object.";
}

function faultOfRest(value: Record<string, unknown>): string | undefined {
  const name = unknownFieldOf(value);
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

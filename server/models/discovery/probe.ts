// Finds out which wire an address speaks, with questions that cost nothing. The address is the operator's.
import { parseShallow } from "../../../kernel/base/json.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import { systemClock } from "../../../kernel/base/clock.ts";
import { ExitError } from "../../../kernel/base/failure.ts";
import { plural } from "../../../kernel/base/plural.ts";
import { chatAddress } from "../chat/adapter.ts";
import { fieldsIn, listIn, textIn, type Fields } from "../chat/reply.ts";
import { errorCodeOf, connect, type Connection } from "../upstreams/connection.ts";
import { readBounded } from "../upstreams/failures.ts";
import type { Timeouts } from "../upstreams/limits.ts";

export interface ProbeOptions {
  baseUrl: string;
  key?: string;
  clock?: Clock;
}

export interface ProbeResult {
  kind: "messages" | "chat";
  /** The names of its models, as far as it lists them. */
  models: string[];
  /** What was found, as a sentence for a person. */
  detail: string;
  /** The server wants a key, or refuses the one that it got. */
  wantsKey: boolean;
}

const listBytesMax = 4 * 1024 * 1024;
const modelsMax = 1_000;
const timeouts: Timeouts = {
  connectMs: 3_000,
  firstByteMs: 10_000,
  betweenBytesMs: 10_000,
  totalMs: 15_000,
};

interface ProbeReply {
  status: number;
  json: Fields;
}

/** Refuses with a sentence where no server answers, or where neither wire is spoken. */
export async function probe({
  baseUrl,
  key,
  clock = systemClock,
}: ProbeOptions): Promise<ProbeResult> {
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new ExitError(`${baseUrl} is no http or https address.`);
  const base = baseUrl.replace(/\/+$/, "").replace(/\/(messages|chat\/completions)$/, "");
  const chat = chatAddress(base);
  const connection = connect(base.replace(/\/v1$/, ""), timeouts, { clock });
  const versioned = connect(chat.prefix, timeouts, { clock });
  try {
    // An empty question is refused by its path before any model is asked.
    const messages = await ask(connection, "POST", "/v1/messages", key);
    const listed = await ask(
      versioned,
      "GET",
      chat.path.replace("chat/completions", "models"),
      key,
    );
    const models = modelsIn(listed);
    if (speaksMessages(messages)) return found("messages", models, messages, baseUrl);
    const completions = await ask(versioned, "POST", chat.path, key);
    if (speaksChat(completions) || isWellBesideFault(listed, completions))
      return found("chat", models, completions, baseUrl);
    const keyHint = [messages, completions].some(refusesKey) ? keyRefused : "";
    throw new ExitError(
      `${baseUrl} answers, but knows neither /v1/messages (status ${messages.status}) nor chat completions (status ${completions.status}).${keyHint}`,
    );
  } catch (error) {
    if (error instanceof ExitError) throw error;
    throw new ExitError(
      `${baseUrl} does not answer as a model server (${errorCodeOf(error)}).`,
      1,
      error,
    );
  } finally {
    await Promise.all([connection.close(), versioned.close()]);
  }
}

async function ask(
  connection: Connection,
  method: "GET" | "POST",
  path: string,
  key: string | undefined,
): Promise<ProbeReply> {
  const headers = [
    "content-type",
    "application/json",
    "accept-encoding",
    "identity",
    "anthropic-version",
    "2023-06-01",
    ...(key === undefined ? [] : ["x-api-key", key, "authorization", `Bearer ${key}`]),
  ];
  const { signal } = new AbortController();
  const body = method === "POST" ? { body: "{}" } : {};
  const reply = await connection.send({ method, path, headers, signal, ...body });
  const text = (await readBounded(reply.body, listBytesMax)).toString("utf8");
  try {
    return { status: reply.status, json: fieldsIn(parseShallow(text)) };
  } catch {
    return { status: reply.status, json: {} };
  }
}

/**
 * Faults of the question, or a refused key, in JSON: it speaks this wire. 404 and 405 mean that it does not; so does a
 * success, which LM Studio says to any path, and a web page.
 */
const exists = ({ status, json }: ProbeReply) =>
  status >= 400 && status < 500 && status !== 404 && status !== 405 && Object.keys(json).length > 0;

/** Older llama.cpp calls a question without messages its own fault; a server for tests answers anything. */
const speaksChat = (probed: ProbeReply) =>
  exists(probed) ||
  (probed.status === 500 && probed.json["error"] !== undefined) ||
  listIn(probed.json["choices"]).length > 0;

/** `transformers serve` fails on an empty question, and lists its models as all servers of chat completions do. */
const isWellBesideFault = (listed: ProbeReply, completions: ProbeReply) =>
  completions.status >= 500 && listed.status === 200 && isList(listed.json);

const isList = ({ data }: Fields) =>
  Array.isArray(data) && data.every((model) => textIn(fieldsIn(model)["id"]) !== "");

/** A gateway may refuse a key before it looks at the path: then only the envelope tells the wires apart. */
function speaksMessages(probed: ProbeReply): boolean {
  const isEnvelope =
    probed.json["type"] === "error" && fieldsIn(probed.json["error"])["type"] !== undefined;
  if (refusesKey(probed)) return isEnvelope;
  return exists(probed) || probed.json["type"] === "message";
}

/** `{data: [{id}]}` of both wires, and `{models: [{name}]}` or `[{id}]` of others. Only those that answer questions. */
function modelsIn({ status, json }: ProbeReply): string[] {
  if (status >= 300) return [];
  const listed = [...listIn(json["data"]), ...listIn(json["models"])].map(fieldsIn);
  // Some lists hold a model twice, and say only once what it is for.
  const uses = new Map<string, boolean | undefined>();
  for (const model of listed) {
    const name = textIn(model["id"]) || textIn(model["name"]);
    if (name !== "") uses.set(name, uses.get(name) ?? answers(model));
  }
  return [...uses]
    .filter(([name, isForAnswers]) => isForAnswers ?? !vectorNames.test(name))
    .map(([name]) => name)
    .slice(0, modelsMax);
}

/** Families that make vectors or sort texts, by the names that they have in lists which say no more than a name. */
const vectorNames =
  /embed|rerank|colbert|splade|minilm|(^|[/_-])(bge|gte|e5|uae|instructor)-|sentence-t5|paraphrase-/i;

/** What a list says a model is for: `type` of LM Studio, `capabilities` of Ollama and llama.cpp. */
function answers({ capabilities, type, task, mode }: Fields): boolean | undefined {
  const uses = [...listIn(capabilities), type, task, mode];
  const words = uses.filter((word) => typeof word === "string");
  if (words.some((word) => /^(completion|chat|llm|vlm|generate|text-generation)/i.test(word)))
    return true;
  return words.some((word) => /embed|rerank|score|classif/i.test(word)) ? false : undefined;
}

const refusesKey = ({ status }: ProbeReply) => status === 401 || status === 403;
const keyRefused = " It refuses the key, or wants one.";

function found(
  kind: ProbeResult["kind"],
  models: string[],
  probed: ProbeReply,
  baseUrl: string,
): ProbeResult {
  const wire = kind === "messages" ? "the Messages API" : "chat completions";
  const count =
    models.length === 0 ? "It lists no models." : `It lists ${plural(models.length, "model")}.`;
  const wantsKey = refusesKey(probed);
  const key = wantsKey ? keyRefused : "";
  return { kind, models, detail: `${baseUrl} speaks ${wire}. ${count}${key}`, wantsKey };
}

// What chat completions say, read with patience: every server writes them a little differently.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import { tokensOfText } from "../tokens.ts";
import type { AttemptRequest, Block, Message, StopDetails, Usage } from "../types.ts";
import { failureOfStatus, upstreamLabel, errorFieldsOf } from "../upstreams/failures.ts";

export type Fields = Record<string, unknown>;

export const fieldsIn = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** Texts of one message or delta. */
export interface ReplyContent {
  text: string;
  reasoning: string;
  refusal: string;
  calls: readonly ReplyToolCall[];
}

export interface ReplyToolCall {
  /** Undefined where the server numbers nothing. */
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

export function replyContentIn(message: Fields): ReplyContent {
  // Mistral's reasoning models put both into a list of parts.
  const parts = listIn(message["content"]).map(fieldsIn);
  const thoughts = parts
    .filter(({ type }) => type === "thinking")
    .flatMap(({ thinking }) => (typeof thinking === "string" ? [thinking] : listIn(thinking)))
    .map((part) => (typeof part === "string" ? part : textIn(fieldsIn(part)["text"])));
  const texts = parts.filter(({ type }) => type === "text").map(({ text }) => textIn(text));
  return {
    text: textIn(message["content"]) || texts.join(""),
    // Some servers send the same under both names.
    reasoning:
      textIn(message["reasoning_content"]) || textIn(message["reasoning"]) || thoughts.join(""),
    refusal: textIn(message["refusal"]),
    calls: listIn(message["tool_calls"]).map((value) => {
      const call = fieldsIn(value);
      const called = fieldsIn(call["function"]);
      const given = called["arguments"];
      return {
        index: typeof call["index"] === "number" ? call["index"] : undefined,
        id: textIn(call["id"]),
        name: textIn(called["name"]),
        arguments:
          typeof given === "object" && given !== null ? JSON.stringify(given) : textIn(given),
      };
    }),
  };
}

export interface StopFields {
  stop_reason: string;
  stop_sequence: string | null;
  stop_details: StopDetails | null;
}

export function stopFieldsOf(
  choice: Fields,
  { refusal, hasCalls }: { refusal: string; hasCalls: boolean },
  stopSequences: readonly string[] = [],
): StopFields {
  const plain = (stop_reason: string) => ({ stop_reason, stop_sequence: null, stop_details: null });
  const reason = choice["finish_reason"];
  if (reason === "error") throw new Failure("api_error", "The upstream failed within the answer.");
  if (reason === "content_filter" || refusal !== "")
    return {
      ...plain("refusal"),
      stop_details: { type: "refusal", category: null, explanation: refusal || null },
    };
  if (reason === "length") return plain("max_tokens");
  // Some servers end a message with calls by a plain "stop".
  if (hasCalls) return plain("tool_use");
  // vLLM says which sequence it was; others do not say that it was one.
  const sequence = stopSequences.find((each) => each === choice["stop_reason"]);
  return sequence === undefined
    ? plain("end_turn")
    : { ...plain("stop_sequence"), stop_sequence: sequence };
}

const countOf = (value: unknown) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The upstream's own numbers, or estimates where it gives none. */
export function usageOf(
  reported: unknown,
  estimate: { input: number; output: number },
  reportsCache: boolean,
): Usage {
  const usage = fieldsIn(reported);
  const prompt = countOf(usage["prompt_tokens"]) ?? estimate.input;
  const cached = countOf(fieldsIn(usage["prompt_tokens_details"])["cached_tokens"]) ?? 0;
  const read = reportsCache ? Math.min(cached, prompt) : null;
  const thought = countOf(fieldsIn(usage["completion_tokens_details"])["reasoning_tokens"]);
  return {
    input_tokens: prompt - (read ?? 0),
    output_tokens: countOf(usage["completion_tokens"]) ?? estimate.output,
    cache_creation: null,
    cache_creation_input_tokens: reportsCache ? 0 : null,
    cache_read_input_tokens: read,
    output_tokens_details: thought === undefined ? null : { thinking_tokens: thought },
    server_tool_use: null,
    service_tier: null,
    speed: null,
    inference_geo: null,
  };
}

/** Whether both counters that are charged are there, so that nothing is estimated. */
export function isReported(reported: unknown): boolean {
  const { prompt_tokens: prompt, completion_tokens: completion } = fieldsIn(reported);
  return countOf(prompt) !== undefined && countOf(completion) !== undefined;
}

const logged = "The upstream's reply is an error.";

/** An error inside a reply that began as a success: its code is a status, or a word. */
export function failureIn(reply: Fields): Failure | undefined {
  if ((reply["error"] ?? null) === null) return undefined;
  const error = fieldsIn(reply["error"]);
  const { message } = errorFieldsOf(JSON.stringify({ error: reply["error"] }));
  const sentence = message ?? "The upstream failed.";
  const code = Number(error["code"]);
  if (Number.isInteger(code) && code >= 400 && code < 600) return failureOfStatus(code, sentence);
  if (/overload/i.test(sentence))
    return new Failure("overloaded_error", sentence, { isUpstreamBusy: true, logged });
  return new Failure("api_error", sentence, { logged });
}

/** We ask for one answer; where several come, it is the first, wherever it stands. */
export function choiceIn(reply: Fields): Fields {
  const choices = listIn(reply["choices"]).map(fieldsIn);
  return choices.find(({ index }) => (index ?? 0) === 0) ?? {};
}

export const messageIdOf = (reply: Fields, requestId: string) =>
  `msg_${(textIn(reply["id"]) || requestId).replace(/\W/g, "").slice(0, 128)}`;

/** The upstream's id, or one made here where it has none, or that of another call of this answer. */
export function callIdOf(
  id: string,
  used: Set<string>,
  { requestId, index }: { requestId: string; index: number },
): string {
  const unique = id === "" || used.has(id) ? `toolu_${requestId.replace(/\W/g, "")}_${index}` : id;
  used.add(unique);
  return unique;
}

/** A call as it begins; this server has no programs that call tools in place of the model. */
export const callBlock = (id: string, name: string, input: Fields): Block => ({
  type: "tool_use",
  id,
  name,
  input,
  caller: { type: "direct" },
});

/** Fields of a message that no chat reply has. */
export const withoutEquivalent = { container: null, context_management: null, diagnostics: null };

export function messageOf(
  reply: Fields,
  { model, body, requestId, progress }: AttemptRequest,
  inputEstimate: number,
): Message {
  const failed = failureIn(reply);
  if (failed !== undefined) throw failed;
  const choice = choiceIn(reply);
  if (choice["message"] === undefined)
    throw new Failure(
      "api_error",
      `${upstreamLabel(model.upstream)} sent a reply without a choice.`,
    );
  const answer = replyContentIn(fieldsIn(choice["message"]));
  const content: Block[] = [];
  if (answer.reasoning !== "") content.push(thinkingBlock(answer.reasoning, body.thinking));
  if (answer.text !== "") content.push({ type: "text", text: answer.text, citations: null });
  const used = new Set<string>();
  for (const [index, call] of answer.calls.entries()) {
    const input = inputOf(call.arguments, choice["finish_reason"] === "length");
    content.push(callBlock(callIdOf(call.id, used, { requestId, index }), call.name, input));
  }
  const texts = answer.calls.flatMap((call) => [call.name, call.arguments]);
  const written = [answer.text, answer.reasoning, ...texts].reduce(
    (sum, text) => sum + tokensOfText(text),
    0,
  );
  const output = Math.min(written, body.max_tokens);
  if (progress !== undefined) progress.isEstimated = !isReported(reply["usage"]);
  const ending = { refusal: answer.refusal, hasCalls: answer.calls.length > 0 };
  return {
    id: messageIdOf(reply, requestId),
    type: "message",
    role: "assistant",
    model: model.id,
    content,
    ...stopFieldsOf(choice, ending, body.stop_sequences),
    ...withoutEquivalent,
    usage: usageOf(reply["usage"], { input: inputEstimate, output }, model.reportsCache),
  };
}

export const hidesThinking = (thinking: AttemptRequest["body"]["thinking"]) =>
  thinking?.["display"] === "omitted";

const thinkingBlock = (text: string, thinking: AttemptRequest["body"]["thinking"]): Block => ({
  type: "thinking",
  thinking: hidesThinking(thinking) ? "" : text,
  signature: "",
});

export function inputOf(text: string, isCut: boolean): Fields {
  if (text.trim() === "") return {};
  try {
    const input = parseShallow(text);
    if (typeof input === "object" && input !== null && !Array.isArray(input))
      return input as Fields;
  } catch {
    // The failure below names it.
  }
  // A client that reads the stop reason max_tokens runs no tool.
  if (isCut) return {};
  throw new Failure(
    "api_error",
    "The upstream sent a tool call whose arguments are no JSON object.",
  );
}

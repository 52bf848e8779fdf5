// What is filled in on the playground, and the request that it makes.
import type { ModelInfo } from "../kit/server/api.ts";
import { effortsOf, thinkingOf } from "../models/capabilities.ts";
import type { Block } from "../../client/messages/message.ts";
import type { Attached } from "./request/attached.ts";
import type { MessageRequest, Turn } from "../messages/conversation.ts";

/** Text is edited; blocks of an answer stay as they came, because a model wants them back unchanged. */
export interface DraftTurn {
  key: number;
  role: Turn["role"];
  text: string;
  blocks?: Block[];
  /** Pictures and documents that stand before the text. */
  attached?: Attached[];
}

/** The saved prompt that was opened or saved last. */
export interface LoadedPrompt {
  id: string;
  name: string;
  version: number;
}

export interface Draft {
  prompt: LoadedPrompt | null;
  /** Empty: the first there is. */
  model: string;
  /** Another one that is asked the same; empty: none. */
  beside: string;
  system: string;
  turns: DraftTurn[];
  maxTokens: string;
  temperature: string;
  effort: string;
  thinking: string;
  budget: string;
  tools: string;
  fallbacks: "off" | "default" | "list";
  fallbackModels: string[];
  stream: boolean;
}

let keys = 0;

export const newTurn = (
  role: Turn["role"],
  text = "",
  blocks?: Block[],
  attached?: Attached[],
): DraftTurn => ({
  key: (keys += 1),
  role,
  text,
  ...(blocks !== undefined && { blocks }),
  ...(attached !== undefined && attached.length > 0 && { attached }),
});

const maxTokensAtFirst = "1024";

export const emptyDraft = (): Draft => ({
  prompt: null,
  model: "",
  beside: "",
  system: "",
  turns: [newTurn("user")],
  maxTokens: maxTokensAtFirst,
  temperature: "",
  effort: "",
  thinking: "",
  budget: "1024",
  tools: "",
  fallbacks: "off",
  fallbackModels: [],
  stream: true,
});

export const fallbackModelsMax = 3;

/** A draft that was kept: its turns get keys of this page, and what an older page did not know is as at first. */
export function revived(kept: Partial<Draft>): Draft {
  const turns = (kept.turns ?? []).map(({ role, text, blocks, attached }) =>
    newTurn(role, text, blocks, attached),
  );
  return { ...emptyDraft(), ...kept, turns: turns.length > 0 ? turns : [newTurn("user")] };
}

/** The part of a draft that this model takes: a choice made for another one is not sent. */
export function fitted(draft: Draft, model: ModelInfo): Draft {
  const allowed = model.allowed_fallback_models ?? [];
  const fallbackModels = draft.fallbackModels.filter((id) => allowed.includes(id));
  const top = model.max_tokens ?? Number.POSITIVE_INFINITY;
  const isTooMany = draft.maxTokens === maxTokensAtFirst && top < Number(maxTokensAtFirst);
  return {
    ...draft,
    ...(isTooMany && { maxTokens: String(top) }),
    effort: effortsOf(model).includes(draft.effort) ? draft.effort : "",
    thinking: thinkingOf(model).includes(draft.thinking) ? draft.thinking : "",
    fallbackModels,
    fallbacks: draft.fallbacks === "list" && allowed.length === 0 ? "off" : draft.fallbacks,
  };
}

/** What stands in the way of sending, by field. */
export interface Faults {
  turns?: string | undefined;
  maxTokens?: string;
  temperature?: string;
  budget?: string;
  tools?: string;
  fallbacks?: string;
}

const whole = (text: string) => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN);

export function faultsOf(draft: Draft, model: ModelInfo): Faults {
  const faults: Faults = {};
  const max = whole(draft.maxTokens);
  const top = model.max_tokens;
  if (Number.isNaN(max) || max < 1 || (top !== null && max > top))
    faults.maxTokens =
      top === null
        ? "A whole number from 1."
        : `A whole number from 1 to ${top.toLocaleString("en")}.`;
  if (draft.temperature.trim() !== "" && !isTemperature(draft.temperature))
    faults.temperature = "A number from 0 to 1, or to 2 where the model goes that far.";
  if (draft.thinking === "enabled" && !(whole(draft.budget) >= 1_024 && whole(draft.budget) < max))
    faults.budget = "A whole number from 1,024, below the most tokens.";
  const tools = parseTools(draft.tools);
  if (typeof tools === "string") faults.tools = tools;
  if (draft.fallbacks === "list" && draft.fallbackModels.length === 0)
    faults.fallbacks = "Choose at least one model.";
  if (draft.turns.at(-1)?.role === "assistant" && draft.turns.at(-1)?.blocks !== undefined)
    faults.turns = "The last turn is the model's: add a turn of the user.";
  else if (draft.turns.every(isEmpty)) faults.turns = "Write something for the model to answer.";
  else faults.turns = attachedFault(draft, model);
  if (faults.turns === undefined) delete faults.turns;
  return faults;
}

/** The tools, nothing when there are none, or the sentence that says what is wrong with them. */
export function parseTools(text: string): unknown[] | undefined | string {
  if (text.trim() === "") return undefined;
  try {
    const tools = JSON.parse(text) as unknown;
    if (!Array.isArray(tools)) return "A list of tools is needed: [ { … } ].";
    return tools.length === 0 ? undefined : tools;
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : "unreadable"}.`;
  }
}

const isEmpty = ({ text, blocks, attached = [] }: DraftTurn) =>
  text.trim() === "" && blocks === undefined && attached.length === 0;

/** The API takes 0 to 2; what is beyond a model's own range, it says itself. */
const isTemperature = (text: string): boolean =>
  /^(?:[01](?:\.\d{1,4})?|2(?:\.0{1,4})?)$/.test(text.trim());

/** A model that thinks takes no temperature but its own. */
export const takesTemperature = ({ thinking }: Draft): boolean =>
  thinking === "" || thinking === "disabled";

/** Why pictures and documents of the conversation cannot be sent to this model. */
function attachedFault({ turns }: Draft, model: ModelInfo): string | undefined {
  const all = turns.flatMap(({ attached = [] }) => attached);
  const lost = all.find(({ block }) => block === undefined);
  if (lost !== undefined)
    return `The content of ${lost.name} was not kept: attach it again, or remove it.`;
  const { image_input: pictures, pdf_input: documents } = model.capabilities;
  if (!pictures.supported && all.some(({ kind }) => kind === "image"))
    return `${model.display_name} takes no pictures.`;
  if (!documents.supported && all.some(({ kind }) => kind === "pdf"))
    return `${model.display_name} takes no PDF documents.`;
  return undefined;
}

/** Where nothing is attached it is the text alone. */
function contentOf({ text, blocks, attached = [] }: DraftTurn): string | Block[] {
  if (blocks !== undefined || attached.length === 0) return blocks ?? text;
  const content = attached.flatMap(({ block }) => (block === undefined ? [] : [block]));
  return text.trim() === "" ? content : [...content, { type: "text", text }];
}

export function requestOf(draft: Draft, model: ModelInfo): MessageRequest {
  const { system, temperature, effort, thinking, fallbacks, stream } = draft;
  const tools = parseTools(draft.tools);
  return {
    model: model.id,
    max_tokens: whole(draft.maxTokens),
    ...(system.trim() !== "" && { system }),
    messages: draft.turns.map((turn) => ({ role: turn.role, content: contentOf(turn) })),
    ...(temperature.trim() !== "" &&
      takesTemperature(draft) && { temperature: Number(temperature) }),
    ...(thinking !== "" && {
      thinking: {
        type: thinking,
        ...(thinking === "enabled" && { budget_tokens: whole(draft.budget) }),
      },
    }),
    ...(effort !== "" && { output_config: { effort } }),
    ...(Array.isArray(tools) && { tools }),
    ...(fallbacks === "default" && { fallbacks }),
    ...(fallbacks === "list" && { fallbacks: draft.fallbackModels.map((id) => ({ model: id })) }),
    ...(stream && { stream }),
  };
}

export const exampleTool = {
  name: "get_weather",
  description: "The weather of a place, now.",
  input_schema: {
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
  },
};
export const exampleTools = JSON.stringify([exampleTool], null, 2);

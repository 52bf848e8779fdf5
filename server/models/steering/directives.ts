// What steers the simulator: verbs in double brackets, found in a text and taken out of it.
import { parseShallow } from "../../../kernel/base/json.ts";
import { refusalCategories, type RefusalCategory } from "../types.ts";

export interface Script {
  refuse: readonly RefuseDirective[];
  fail: readonly FailDirective[];
  /** Made one after the other; each is one call, or several that stand in one response. */
  tools: readonly (readonly ScriptedToolCall[])[];
  /** In place of all else that an answer holds. */
  grade?: Grade;
  say?: string;
  tokens?: number;
  rate?: number;
  think?: number;
  stop?: StopReason;
}

export interface RefuseDirective {
  category: RefusalCategory | null;
  /** `*` is every model. */
  models: readonly string[];
  /** Output tokens before it; undefined: before any output. */
  after?: number;
}

export interface FailDirective {
  status: number;
  /** How many attempts with one body; undefined: all. */
  times?: number;
  after?: number;
  retryAfter?: number;
}

export interface ScriptedToolCall {
  name: string;
  input: Record<string, unknown>;
}

export const gradeResults = ["satisfied", "needs_revision"] as const;

/** What a grader says of work that it was shown. */
export interface Grade {
  result: (typeof gradeResults)[number];
  explanation: string;
}

export const stopReasons = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "model_context_window_exceeded",
] as const;
export type StopReason = (typeof stopReasons)[number];

/** The large ones of both families. */
export const defaultRefusers: readonly string[] = ["sim-large", "sim-classic-large"];
export const numberMax = 1_000_000;

const verbs = "refuse say tokens rate tool tools think fail stop grade".split(" ");
/** A text of brackets that never close is looked at so often and so far, then it is text. */
const candidatesMax = 256;
const charactersMax = 256 * 1024;

/** What one directive adds. */
type Piece = Partial<Omit<Script, "refuse" | "fail" | "tools">> & {
  refuse?: RefuseDirective;
  fail?: FailDirective;
  tools?: readonly ScriptedToolCall[];
};

export interface ParsedDirectives {
  script: Script;
  /** The text without its directives. */
  rest: string;
}

/** What is not a whole, known directive stays text: any prompt may hold brackets. */
export function readDirectives(text: string): ParsedDirectives {
  const pieces: Piece[] = [];
  let rest = "";
  let at = 0;
  let candidates = 0;
  while (candidates < candidatesMax) {
    const open = text.indexOf("[[", at);
    if (open === -1) break;
    const verb = verbAt(text, open);
    if (verb !== undefined) candidates++;
    const found = verb && directiveAt(text, verb);
    rest += text.slice(at, found === undefined ? open + 1 : open);
    if (found !== undefined) pieces.push(found.piece);
    at = found?.end ?? open + 1;
  }
  return { script: scriptOf(pieces), rest: at === 0 ? text : rest + text.slice(at) };
}

export const stripDirectives = (text: string) => readDirectives(text).rest;

function scriptOf(pieces: readonly Piece[]): Script {
  const script: Script = { refuse: [], fail: [], tools: [] };
  for (const { refuse, fail, tools, ...others } of pieces) {
    if (refuse !== undefined) script.refuse = [...script.refuse, refuse];
    if (fail !== undefined) script.fail = [...script.fail, fail];
    if (tools !== undefined) script.tools = [...script.tools, tools];
    Object.assign(script, others);
  }
  return script;
}

interface Verb {
  name: string;
  end: number;
}

function verbAt(text: string, open: number): Verb | undefined {
  const head = /^\[\[\s*([a-z]+)/.exec(text.slice(open, open + 32));
  const [whole = "", name = ""] = head ?? [];
  return verbs.includes(name) ? { name, end: open + whole.length } : undefined;
}

function directiveAt(text: string, verb: Verb): { piece: Piece; end: number } | undefined {
  const args = argumentsAt(text.slice(verb.end, verb.end + charactersMax));
  const piece = args && pieceOf(verb.name, args);
  return piece === undefined || args === undefined
    ? undefined
    : { piece, end: verb.end + args.end };
}

interface Arguments {
  /** Words, and JSON values: each in a box of its own, since it may be a text. */
  inOrder: readonly (string | { value: unknown })[];
  end: number;
}

/** Words and JSON values up to the closing brackets; brackets inside JSON do not close. */
function argumentsAt(text: string): Arguments | undefined {
  const inOrder: (string | { value: unknown })[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    if (at >= text.length) return undefined;
    if (text.startsWith("]]", at)) return { inOrder, end: at + 2 };
    const json = jsonEnd(text, at);
    if (json !== undefined) {
      const value = parsed(text.slice(at, json));
      if (value === undefined) return undefined;
      inOrder.push({ value });
      at = json;
      continue;
    }
    const start = at;
    while (at < text.length && !/[\s"{[\]]/.test(text.charAt(at))) at++;
    if (at === start) return undefined;
    inOrder.push(text.slice(start, at));
  }
}

/** Where the string or object that starts here ends; undefined where none starts or it never ends. */
function jsonEnd(text: string, start: number): number | undefined {
  const first = text.charAt(start);
  if (first !== '"' && first !== "{") return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted && char === "\\") at++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "{" || char === "[")) depth++;
    else if (!quoted && (char === "}" || char === "]")) depth--;
    if (!quoted && depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return parseShallow(json);
  } catch {
    return undefined;
  }
}

function pieceOf(verb: string, { inOrder }: Arguments): Piece | undefined {
  const words = inOrder.filter((each) => typeof each === "string");
  const values = inOrder.flatMap((each) => (typeof each === "string" ? [] : [each.value]));
  const [value] = values;
  const [word = ""] = words;
  const plain = values.length === 0;
  switch (verb) {
    case "refuse":
      return plain ? refuseOf(words) : undefined;
    case "fail":
      return plain ? failOf(words) : undefined;
    case "say":
      return words.length === 0 && values.length === 1 && typeof value === "string"
        ? { say: value }
        : undefined;
    case "tool":
    case "tools": {
      const calls = callsOf(inOrder);
      return calls === undefined || (verb === "tool" && calls.length > 1)
        ? undefined
        : { tools: calls };
    }
    case "grade": {
      const result = gradeResults.find((each) => each === word);
      return words.length === 1 && values.length === 1 && typeof value === "string" && result
        ? { grade: { result, explanation: value } }
        : undefined;
    }
    case "stop": {
      const stop = stopReasons.find((reason) => reason === word);
      return plain && words.length === 1 && stop !== undefined ? { stop } : undefined;
    }
    case "tokens":
    case "rate":
    case "think": {
      const number = numberOf(word);
      if (!plain || words.length !== 1 || number === undefined) return undefined;
      return verb === "rate" && number === 0 ? undefined : { [verb]: number };
    }
    default:
      return undefined;
  }
}

/** `NAME {json} | NAME | …`; undefined where anything else stands there. */
function callsOf(inOrder: Arguments["inOrder"]): ScriptedToolCall[] | undefined {
  const calls: ScriptedToolCall[] = [];
  let at = 0;
  for (;;) {
    const name = inOrder[at++];
    if (typeof name !== "string" || name === "|") return undefined;
    const given = inOrder[at];
    const hasInput = typeof given === "object";
    if (hasInput && typeof given.value === "string") return undefined;
    if (hasInput) at += 1;
    calls.push({ name, input: (hasInput ? given.value : {}) as Record<string, unknown> });
    if (at === inOrder.length) return calls;
    if (inOrder[at++] !== "|") return undefined;
  }
}

function numberOf(word: string | undefined): number | undefined {
  return word !== undefined && /^\d{1,7}$/.test(word) && Number(word) <= numberMax
    ? Number(word)
    : undefined;
}

/** `name=value` words; undefined where one is not of these names, or is there twice. */
function pairsOf(words: readonly string[], known: readonly string[]) {
  const pairs = new Map<string, string>();
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = word.slice(0, equals);
    if (equals < 1 || !known.includes(name) || pairs.has(name)) return undefined;
    pairs.set(name, word.slice(equals + 1));
  }
  return pairs;
}

function refuseOf(words: readonly string[]): Piece | undefined {
  const pairs = pairsOf(words, ["category", "models", "after"]);
  if (pairs === undefined) return undefined;
  const named = pairs.get("category") ?? "none";
  const category = refusalCategories.find((each) => each === named) ?? null;
  const models = pairs
    .get("models")
    ?.split(",")
    .filter((name) => name !== "") ?? [...defaultRefusers];
  const after = numberOf(pairs.get("after"));
  if ((category === null && named !== "none") || models.length === 0) return undefined;
  if (pairs.has("after") && after === undefined) return undefined;
  return { refuse: { category, models, ...(after !== undefined && after > 0 && { after }) } };
}

function failOf(words: readonly string[]): Piece | undefined {
  const pairs = pairsOf(words, ["status", "times", "after", "retry_after"]);
  if (pairs === undefined) return undefined;
  const numbers = ["status", "times", "after", "retry_after"].map((name) =>
    numberOf(pairs.get(name)),
  );
  const [status = 529, times, after, retryAfter] = numbers;
  const misread = [...pairs.values()].some((value) => numberOf(value) === undefined);
  if (misread || status < 400 || status > 599) return undefined;
  return {
    fail: {
      status,
      ...(times !== undefined && { times }),
      ...(after !== undefined && { after }),
      ...(retryAfter !== undefined && { retryAfter }),
    },
  };
}

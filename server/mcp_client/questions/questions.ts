// What an MCP server asks of a person before it goes on with a call, and what the person answers.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { problemWith, readForm, type Form, type FormValue } from "./forms.ts";
import { fieldsOf } from "../fields.ts";
import { limits } from "../limits.ts";
import { isHelp, type HelpAsked } from "./sampling.ts";
import { clean, cleaned, cut, type Scrub } from "../lists/tools.ts";
import { McpFault } from "../wire.ts";

/** A form to be filled in, or an address to be opened: what happens there is between the person and the server. */
export type Question =
  | { mode: "form"; message: string; requestedSchema: Form }
  | { mode: "url"; message: string; url: string };

/** By the keys that the server gives them. */
export type Questions = Record<string, Question>;

export interface ServerAsks {
  questions: Questions;
  /** What was asked along with them of the session itself, and is answered already. */
  given: Record<string, object>;
  /** The server's own: it is given back as it came, and not shown. */
  requestState: string | null;
  /** How often the session's model was asked in the call until then. */
  samples: number;
}

export interface QuestionAnswer {
  action: "accept" | "decline" | "cancel";
  content?: Record<string, FormValue>;
}

export type QuestionAnswers = Record<string, QuestionAnswer>;

const goodKey = /^[^\p{C}]+$/u;

/** Throws the fault of a server whose question no person can be shown (rule MCP18). */
export function readAsked(
  { inputRequests = {}, requestState }: { inputRequests?: object; requestState?: string },
  scrub: Scrub,
): Omit<ServerAsks, "given" | "samples"> & { ofSession: Record<string, HelpAsked> } {
  const given = Object.entries(inputRequests);
  const ofSession: Record<string, HelpAsked> = {};
  if (given.length > limits.questionsMax)
    throw unshown(`it asks ${given.length} questions, and ${limits.questionsMax} are the most.`);
  if ((requestState ?? "").length > limits.requestStateCharactersMax)
    throw unshown(`its state has more than ${limits.requestStateCharactersMax} characters.`);
  const questions = given.flatMap(([key, request]) => {
    const { method, params } = fieldsOf(request);
    if (!isHelp(method)) return [[key, readQuestion(key, withMethod(request), scrub)] as const];
    expectKey(key, scrub);
    ofSession[key] = { method, params };
    return [];
  });
  if (JSON.stringify(questions).length > limits.questionsCharactersMax)
    throw unshown(`its questions have more than ${limits.questionsCharactersMax} characters.`);
  return {
    questions: Object.fromEntries(questions),
    ofSession,
    requestState: requestState ?? null,
  };
}

/** Answers are given by it, which can have nothing taken out. */
function expectKey(key: string, scrub: Scrub): void {
  const isGoodKey = goodKey.test(key) && key.length <= limits.questionKeyCharactersMax;
  if (!isGoodKey || key === "__proto__" || scrub(key) !== key)
    throw unshown("the key of a question cannot be shown.");
}

/** The specification's table has `type` and `prompt` alone: words that a person answers with words. */
function withMethod(request: unknown): unknown {
  const { method, type, prompt } = fieldsOf(request);
  const isOfTable = method === undefined && typeof type === "string" && typeof prompt === "string";
  if (!isOfTable || ofModels.includes(type)) return request;
  const requestedSchema = {
    type: "object",
    properties: { answer: { type: "string", title: "Answer" } },
    required: ["answer"],
  };
  return { method: "elicitation/create", params: { message: prompt, requestedSchema } };
}
/** What these ask for is no person's to say. */
const ofModels = ["sampling", "roots"];

function readQuestion(key: string, request: unknown, scrub: Scrub): Question {
  expectKey(key, scrub);
  const { method, params } = fieldsOf(request);
  if (method !== "elicitation/create") throw unshown("it asks for what sessions do not give.");
  const { mode = "form", message: said, requestedSchema, url } = fieldsOf(params);
  const message = cut(
    clean(scrub(typeof said === "string" ? said : "")),
    limits.messageCharactersMax,
  );
  if (mode === "url" && typeof url === "string" && isGoodAddress(url) && scrub(url) === url)
    return { mode, message, url };
  if (mode !== "form") throw unshown("it leads to an address that is none of https or http.");
  // What is taken out of a name or a choice could not be answered.
  const shown = cleaned(requestedSchema, (text) => clean(scrub(text)), limits.formDepthMax);
  const isWhole = JSON.stringify(shown) === JSON.stringify(requestedSchema);
  const form = isWhole ? readForm(shown) : undefined;
  if (form === undefined)
    throw unshown("a form has fields of text, numbers, choices and yes or no, and nothing else.");
  return { mode, message, requestedSchema: form };
}

function isGoodAddress(url: string): boolean {
  const { protocol } = URL.parse(url) ?? {};
  const isWeb = protocol === "https:" || protocol === "http:";
  return isWeb && url.length <= limits.askedUrlCharactersMax && clean(url) === url;
}

const unshown = (why: string) =>
  new McpFault("answer", `asked for something in return that a person cannot be shown: ${why}`);

/** Where and why a text is no answer to all of the questions: for the client that sent it. */
export class AnswerProblem extends Error {}

/** Throws what is wrong with it, which begins with the place in the text. */
export function readAnswers(questions: Questions, text: string): QuestionAnswers {
  const answers = parsed(text);
  const unknown = Object.keys(answers).find((key) => !Object.hasOwn(questions, key));
  if (unknown !== undefined)
    throw new AnswerProblem(`${unknown}: is no question; there are ${listed(questions)}.`);
  return Object.fromEntries(
    Object.entries(questions).map(([key, question]) => {
      if (!Object.hasOwn(answers, key))
        throw new AnswerProblem(`${key}: has no answer; give one to each of ${listed(questions)}.`);
      return [key, readAnswer(key, question, answers[key])];
    }),
  );
}

const listed = (questions: Questions) =>
  Object.keys(questions)
    .map((key) => JSON.stringify(key))
    .join(", ");

const example = '{"key": {"action": "accept", "content": {…}}}';

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseExactly(text);
  } catch {
    throw new AnswerProblem(`is no JSON; write ${example}, with each key of the questions.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AnswerProblem(`must be an object, ${example}, with each key of the questions.`);
  return value as Record<string, unknown>;
}

function readAnswer(key: string, question: Question, given: unknown): QuestionAnswer {
  const { action, content, ...others } = fieldsOf(given);
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new AnswerProblem(`${key}.${other}: is unknown; an answer has action and content.`);
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    throw new AnswerProblem(`${key}.action: must be accept, decline or cancel.`);
  const takesContent = action === "accept" && question.mode === "form";
  if (!takesContent) {
    if (content === undefined) return { action };
    const why = question.mode === "url" ? "of an address that was opened" : `of a ${action}`;
    throw new AnswerProblem(`${key}.content: is not part ${why}; leave it out.`);
  }
  const problem = problemWith(question.requestedSchema, content);
  if (problem === undefined) return { action, content: content as Record<string, FormValue> };
  const at = problem.name === undefined ? "" : `.${problem.name}`;
  throw new AnswerProblem(`${key}.content${at}: ${problem.words}.`);
}

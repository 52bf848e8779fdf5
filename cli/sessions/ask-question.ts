// Asks a person at the terminal what an MCP server wants to know: its forms field by field, and addresses to open.
import {
  answerText,
  sentOf,
  type Asked,
  type AskedField,
  type AskedQuestion,
  type FieldValue,
  type QuestionAnswer,
} from "../../client/sessions/questions.ts";
import { escapeControls } from "../print-answer.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";

/** The text of the result; undefined where the person interrupted instead. */
export async function askQuestions(
  terminal: Terminal,
  { server, tool, questions }: Asked,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answers: Record<string, QuestionAnswer> = {};
  for (const question of questions) {
    terminal.note(
      `${terminal.dim(escapeControls(`The MCP server ${server} asks, for its tool ${tool}:`))}\n${escapeControls(question.message)}\n`,
    );
    const answer =
      question.mode === "url"
        ? await askToOpen(terminal, question, signal)
        : await askForm(terminal, question, signal);
    if (answer === undefined) return undefined;
    answers[question.key] = answer;
  }
  return answerText(answers);
}

type Read = (prompt: string) => Promise<string | undefined>;

const emptyLinesMax = 10;

/** Undefined when the person interrupts. A terminal whose input has ended gives empty lines for ever. */
function reader({ note, readLine }: Terminal, signal: AbortSignal): Read {
  let empty = 0;
  return async (prompt) => {
    note(prompt);
    const line = (await readLine(signal)).trim();
    if (signal.aborted) return undefined;
    empty = line === "" ? empty + 1 : 0;
    if (empty > emptyLinesMax)
      throw new CliError("Nothing was answered: the question stays open.", exitCodes.waiting);
    return line;
  };
}

const refusals: Record<string, QuestionAnswer> = {
  d: { action: "decline" },
  decline: { action: "decline" },
  c: { action: "cancel" },
  cancel: { action: "cancel" },
};

/** A yes is said: what a person only passes by with Enter is asked again. */
async function askForm(
  terminal: Terminal,
  { fields }: Extract<AskedQuestion, { mode: "form" }>,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const read = reader(terminal, signal);
  const first = await firstWord(read, "Answer it? [y, d to decline, c to cancel] ");
  if (first === undefined) return undefined;
  if (typeof first !== "string") return first;
  const content: NonNullable<QuestionAnswer["content"]> = {};
  for (const field of fields) {
    const sent = await askField(terminal, field, read);
    if (sent === undefined) return undefined;
    if (sent.value !== undefined) content[field.name] = sent.value;
  }
  return { action: "accept", content };
}

async function firstWord(read: Read, prompt: string): Promise<QuestionAnswer | "y" | undefined> {
  for (;;) {
    const line = (await read(prompt))?.toLowerCase();
    if (line === undefined) return undefined;
    if (line === "y" || line === "yes") return "y";
    const refusal = Object.hasOwn(refusals, line) ? refusals[line] : undefined;
    if (refusal !== undefined) return refusal;
  }
}

async function askToOpen(
  terminal: Terminal,
  { url, host }: Extract<AskedQuestion, { mode: "url" }>,
  signal: AbortSignal,
): Promise<QuestionAnswer | undefined> {
  const read = reader(terminal, signal);
  terminal.note(`At ${escapeControls(host)}:\n  ${escapeControls(url)}\n`);
  for (;;) {
    const line = await read("[o to open it, y when it is done, d to decline, c to cancel] ");
    if (line === undefined) return undefined;
    const word = line.toLowerCase();
    if (word === "y" || word === "yes") return { action: "accept" };
    const refusal = Object.hasOwn(refusals, word) ? refusals[word] : undefined;
    if (refusal !== undefined) return refusal;
    if (word === "o" && !(await terminal.openBrowser(url)))
      terminal.note("There is no browser here: open the address elsewhere.\n");
  }
}

interface Sent {
  /** Undefined: left out. */
  value: ReturnType<typeof sentOf>;
}

/** Undefined when the person interrupts. What cannot be sent is asked again. */
async function askField(
  { note }: Terminal,
  field: AskedField,
  read: Read,
): Promise<Sent | undefined> {
  for (;;) {
    const line = await read(promptOf(field));
    if (line === undefined) return undefined;
    try {
      return { value: sentOf(field, valueOf(field, line)) };
    } catch (error) {
      note(`${(error as Error).message}\n`);
    }
  }
}

function promptOf({ kind, label, description, isRequired, choices, initial }: AskedField): string {
  const hint = description === "" ? "" : ` (${description})`;
  const shown = Array.isArray(initial) ? initial.join(", ") : String(initial);
  const known = shown === "" || kind === "boolean" ? "" : ` [${shown}]`;
  const optional = isRequired || kind === "boolean" || known !== "" ? "" : ", may be empty";
  const lines = choices.map((each, at) => `\n  ${at + 1} ${each.label}`).join("");
  const how: Partial<Record<AskedField["kind"], string>> = {
    boolean: initial === true ? " [Y/n]" : " [y/N]",
    one: ", one of",
    several: ", any of, with commas between",
  };
  return escapeControls(`${label}${hint}${how[kind] ?? ""}${optional}${lines}`)
    .concat(lines === "" ? "" : "\n")
    .concat(`${escapeControls(known)}: `);
}

/** A choice is named by its number, its value or its label. */
function valueOf({ kind, choices, initial }: AskedField, line: string): FieldValue {
  if (line === "") return initial;
  if (kind === "boolean") {
    if (/^(y|yes|true)$/i.test(line)) return true;
    if (/^(n|no|false)$/i.test(line)) return false;
    throw new Error("Say y or n.");
  }
  if (kind !== "one" && kind !== "several") return line;
  const chosen = (word: string): string => {
    const choice =
      choices.find(({ value, label }) => word === value || word === label) ??
      choices[Number(word) - 1];
    if (choice === undefined) throw new Error(`${JSON.stringify(word)} is none of the choices.`);
    return choice.value;
  };
  return kind === "one" ? chosen(line) : line.split(",").map((word) => chosen(word.trim()));
}

// Prints an answer from its events: text as output; thinking, boundaries and counts as notes.
import type { StreamEvent } from "../contract/client.ts";
import type { Terminal } from "./terminal.ts";
import { plural } from "./format.ts";

export interface Answer {
  id: string;
  model: string;
  stopReason: string | null;
  category: string | null;
  explanation: string | null;
  usage: Record<string, unknown>;
  /** Whether the event that ends an answer has come. */
  isWhole: boolean;
}

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;
const words = (value: unknown): string => (typeof value === "string" ? value : "");
const orNull = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** The notes on an answer that came in one piece. */
export function answerOf(message: Record<string, unknown>): Answer {
  return {
    id: words(message["id"]),
    model: words(message["model"]),
    usage: object(message["usage"]),
    isWhole: true,
    ...endOf(message),
  };
}

function endOf(message: Record<string, unknown>) {
  const details = object(message["stop_details"]);
  return {
    stopReason: orNull(message["stop_reason"]),
    category: orNull(details["category"]),
    explanation: orNull(details["explanation"]),
  };
}

/**
 * A model's words may hold control characters: a person sees them as signs (U+2400 and on). Carriage returns would
 * overwrite text on the screen.
 */
export const escapeControls = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- these are the ones that are meant
  text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (sign) => {
    if (sign === "\r") return "";
    const code = sign.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\u2421";
  });

/** Two columns of text on one screen: piped output stays as the model wrote it. */
function makePaper({ write, note, dim, isPerson }: Terminal) {
  let atLineStart = true;
  const endLine = () => {
    if (!atLineStart) write("\n");
    atLineStart = true;
  };
  return {
    endLine,
    text: (text: string) => {
      if (text === "") return;
      write(isPerson.output ? escapeControls(text) : text);
      atLineStart = text.endsWith("\n");
    },
    line: (text: string) => {
      if (isPerson.output) endLine();
      note(`${dim(escapeControls(text))}\n`);
    },
    /** For a person only: no program reads it through a pipe. */
    aside: (text: string) => {
      if (isPerson.notes && text !== "") note(dim(escapeControls(text)));
    },
  };
}

export function makePrinter(terminal: Terminal) {
  const paper = makePaper(terminal);
  let answer = { ...answerOf({}), isWhole: false };
  let kind = "";

  function begin(block: Record<string, unknown>): void {
    kind = words(block["type"]);
    if (kind === "text") paper.text(words(block["text"]));
    if (kind !== "fallback") return;
    const modelOf = (side: string) => words(object(block[side])["model"]);
    const category = orNull(object(block["trigger"])["category"]);
    const why = category === null ? "" : ` (${category})`;
    answer.model = modelOf("to");
    paper.line(`--- ${modelOf("from")} refused${why}; ${modelOf("to")} goes on ---`);
  }

  function take(event: StreamEvent): void {
    const { type } = event;
    const delta = object(event["delta"]);
    if (type === "message_start")
      answer = { ...answerOf(object(event["message"])), isWhole: false };
    else if (type === "content_block_start") begin(object(event["content_block"]));
    else if (type === "content_block_delta") {
      paper.aside(words(delta["thinking"]));
      paper.text(words(delta["text"]));
    } else if (type === "content_block_stop" && kind === "thinking") paper.aside("\n");
    else if (type === "message_delta")
      answer = {
        ...answer,
        ...endOf(delta),
        usage: { ...answer.usage, ...object(event["usage"]) },
      };
    else if (type === "message_stop") answer.isWhole = true;
  }

  return {
    take,
    answer: () => answer,
    endLine: paper.endLine,
    finish: () => {
      paper.endLine();
      const { usage, model, stopReason, id } = answer;
      const [input, output] = [usage["input_tokens"], usage["output_tokens"]].map(Number);
      paper.line(
        `${model}: ${plural(input ?? 0, "token")} in, ${output} out, ${stopReason}, ${id}`,
      );
    },
  };
}

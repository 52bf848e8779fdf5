// Prints an answer from its events: text as output; thinking, boundaries and counts as notes.
import { fold, type Message } from "../client/messages/message.ts";
import type { StreamEvent } from "../contract/client.ts";
import type { Terminal } from "./terminal.ts";
import { plural } from "../client/text/words.ts";

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;
const words = (value: unknown): string => (typeof value === "string" ? value : "");

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
export function makePaper({ write, note, dim, isPerson }: Terminal) {
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
  let message: Message | undefined;
  let isWhole = false;

  function begin(block: Record<string, unknown>): void {
    if (block["type"] === "text") paper.text(words(block["text"]));
    if (block["type"] !== "fallback") return;
    const modelOf = (side: string) => words(object(block[side])["model"]);
    const category = words(object(block["trigger"])["category"]);
    const why = category === "" ? "" : ` (${category})`;
    paper.line(`--- ${modelOf("from")} refused${why}; ${modelOf("to")} goes on ---`);
  }

  function take(event: StreamEvent): void {
    message = fold(message, event);
    const { type } = event;
    const delta = object(event["delta"]);
    if (type === "content_block_start") begin(object(event["content_block"]));
    else if (type === "content_block_delta") {
      paper.aside(words(delta["thinking"]));
      paper.text(words(delta["text"]));
    } else if (type === "content_block_stop" && message?.content.at(-1)?.type === "thinking")
      paper.aside("\n");
    else if (type === "message_stop") isWhole = true;
  }

  return {
    take,
    /** Undefined until the event that ends an answer has come. */
    answer: () => (isWhole ? message : undefined),
    endLine: paper.endLine,
    finish: ({ id, model, stop_reason, usage }: Message) => {
      paper.endLine();
      const { input_tokens: input, output_tokens: output } = usage;
      paper.line(`${model}: ${plural(input, "token")} in, ${output} out, ${stop_reason}, ${id}`);
    },
  };
}

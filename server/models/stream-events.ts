// Between events of a message stream, frames on the wire, and the message they add up to.
import { parseShallow } from "../../kernel/base/json.ts";
import type { Block, Message, StopDetails, StreamEvent, Usage, WireEvent } from "./types.ts";

/**
 * Written only where it is relayed: a whole answer is added up instead. A class, because a getter in an object literal
 * makes each object a dictionary, which was seen to hold the event until a full collection of garbage.
 */
class MadeEvent implements WireEvent {
  readonly name: string;
  /** Also where it is called without its object. */
  readonly data: () => StreamEvent;
  #raw: string | undefined;

  constructor(event: StreamEvent) {
    this.name = event.type;
    this.data = () => event;
  }

  get raw(): string {
    return (this.#raw ??= `event: ${this.name}\ndata: ${JSON.stringify(this.data())}\n\n`);
  }
}

export const asWireEvent = (event: StreamEvent): WireEvent => new MadeEvent(event);

/** Adds events up to a message, as every client does. */
export interface Accumulator {
  add(event: StreamEvent): void;
  /** Undefined before message_start. */
  message(): Message | undefined;
}

type Fields = Record<string, unknown>;

export function accumulate(): Accumulator {
  let message: Message | undefined;
  const inputs = new Map<number, string>();

  return {
    message: () => message,
    add: (event) => {
      const index = event["index"] as number;
      switch (event.type) {
        case "message_start":
          message = begun(event["message"] as Message);
          return;
        case "content_block_start":
          if (message !== undefined) addBlock(message, event["content_block"] as Block);
          return;
        case "content_block_delta": {
          const block = message?.content[index];
          if (block !== undefined) addDelta(block, index, event["delta"] as Fields, inputs);
          return;
        }
        case "content_block_stop": {
          const block = message?.content[index];
          const input = inputs.get(index);
          if (block !== undefined && input !== undefined) block["input"] = parseInput(input);
          return;
        }
        case "message_delta":
          if (message !== undefined) addEnd(message, event);
          return;
        default:
      }
    },
  };
}

/** What is added to is copied: the event is not changed. */
const begun = (message: Message): Message => ({
  ...message,
  content: message.content.map((block) => ({ ...block })),
  usage: { ...fieldsOf(message.usage) } as Usage,
});

/** Behind a boundary another model goes on. */
function addBlock(message: Message, block: Block): void {
  message.content.push({ ...block });
  const to = block.type === "fallback" ? (block["to"] as { model?: unknown }) : undefined;
  if (typeof to?.model === "string") message.model = to.model;
}

function addDelta(block: Block, index: number, delta: Fields, inputs: Map<number, string>): void {
  const append = (field: string) => {
    const before = block[field];
    block[field] = (typeof before === "string" ? before : "") + String(delta[field]);
  };
  switch (delta["type"]) {
    case "text_delta":
      return append("text");
    case "thinking_delta":
      return append("thinking");
    case "signature_delta":
      block["signature"] = delta["signature"];
      return;
    case "input_json_delta":
      inputs.set(index, (inputs.get(index) ?? "") + String(delta["partial_json"]));
      return;
    case "citations_delta":
      block["citations"] = [...((block["citations"] as unknown[] | null) ?? []), delta["citation"]];
      return;
    case "compaction_delta":
      for (const field of ["content", "encrypted_content"])
        if (field in delta) block[field] = delta[field];
      return;
    default:
  }
}

/** An input that was cut is none: no client may run a tool with half of the arguments. */
export function parseInput(json: string): unknown {
  try {
    return json === "" ? {} : parseShallow(json);
  } catch {
    return {};
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

function addEnd(message: Message, event: StreamEvent): void {
  const delta = (event["delta"] ?? {}) as Fields;
  message.stop_reason = (delta["stop_reason"] as string | null | undefined) ?? null;
  message.stop_sequence = (delta["stop_sequence"] as string | null | undefined) ?? null;
  message.stop_details = (delta["stop_details"] as StopDetails | null | undefined) ?? null;
  if (delta["container"] !== undefined) message["container"] = delta["container"];
  for (const field of ["context_management", "input_transformations"])
    if (event[field] !== undefined) message[field] = event[field];
  // The counters of the end are cumulative; what it leaves out or has as null stays as it began.
  for (const [field, value] of Object.entries(fieldsOf(event["usage"])))
    if (value !== null && value !== undefined) message.usage[field] = value;
}

// The events that an answer becomes. Their ids are known from the first word on, so that previews have them too.
import type { Ids } from "../../../kernel/base/ids.ts";
import type { Block, StreamEvent } from "../../models/module.ts";
import { newEventId } from "../events/drafts.ts";
import type { Preview } from "../events/previews.ts";

type Kind = "agent.message" | "agent.thinking" | "call";

const kindOf = ({ type }: Block): Kind | undefined => {
  if (type === "text") return "agent.message";
  if (type === "thinking" || type === "redacted_thinking") return "agent.thinking";
  return type === "tool_use" ? "call" : undefined;
};

export interface AnswerEvent {
  id: string;
  kind: Kind;
  blocks: Block[];
}

/** Texts that follow one another are one message; each call and each thought is an event of its own. */
export class AnswerEvents {
  readonly #ids: Ids;
  /** Where the log stands that is being answered. */
  readonly #after: number;
  readonly #publish: (preview: Preview) => void;
  readonly #known: string[] = [];
  #open: { id: string; kind: Kind; index: number; deltas: number } | undefined;
  #count = 0;

  constructor(ids: Ids, after: number, publish: (preview: Preview) => void) {
    this.#ids = ids;
    this.#after = after;
    this.#publish = publish;
  }

  #idOf(at: number): string {
    return (this.#known[at] ??= newEventId(this.#ids));
  }

  preview(event: StreamEvent): void {
    if (event.type === "content_block_start") this.#begin(event["content_block"] as Block);
    const delta = event["delta"] as { type?: string; text?: string } | undefined;
    const isText = event.type === "content_block_delta" && delta?.type === "text_delta";
    if (isText && typeof delta.text === "string") this.#write(delta.text);
  }

  #begin(block: Block): void {
    const kind = kindOf(block);
    if (kind === undefined) return;
    if (kind === "agent.message" && this.#open?.kind === kind) {
      this.#open.index += 1;
    } else {
      const id = this.#idOf(this.#count++);
      this.#open = { id, kind, index: 0, deltas: 0 };
      if (kind !== "call") this.#publish({ start: { id, type: kind, after: this.#after } });
    }
    if (kind === "agent.message" && typeof block["text"] === "string") this.#write(block["text"]);
  }

  #write(text: string): void {
    const open = this.#open;
    if (open === undefined || open.kind !== "agent.message" || text === "") return;
    this.#publish({ delta: { id: open.id, count: open.deltas++, index: open.index, text } });
  }

  /** Of the whole answer. */
  of(content: readonly Block[]): AnswerEvent[] {
    const events: AnswerEvent[] = [];
    for (const block of content) {
      const kind = kindOf(block);
      if (kind === undefined) continue;
      const last = events.at(-1);
      if (kind === "agent.message" && last?.kind === kind) last.blocks.push(block);
      else events.push({ id: this.#idOf(events.length), kind, blocks: [block] });
    }
    return events;
  }
}

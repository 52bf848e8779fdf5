// The words of the two versions of the wire, where an answer has other ones.
import type { Dialect } from "../../../kernel/context.ts";
import { asWireEvent, type Block, type Message, type WireEvent } from "../../models/module.ts";

/** Clients of the older version take a text without citations, none whose citations are null; newer ones have null. */
export const inDialect = (message: Message, dialect: Dialect): Message => ({
  ...message,
  content: contentInDialect(message.content, dialect),
});

export const contentInDialect = (content: readonly Block[], dialect: Dialect): Block[] =>
  content.map((block) => {
    const { citations = null, ...rest } = block;
    if (block.type !== "text" || citations !== null) return block;
    return dialect === "2023-06-01" ? rest : { ...rest, citations };
  });

/** Clients of the newer version are told as a text begins that it has no citations. */
export function eventInDialect(event: WireEvent, dialect: Dialect): WireEvent {
  if (event.name !== "content_block_start" || dialect === "2023-06-01") return event;
  const data = event.data();
  const block = data["content_block"] as Block;
  if (block.type !== "text" || block["citations"] !== undefined) return event;
  return asWireEvent({ ...data, content_block: { ...block, citations: null } });
}

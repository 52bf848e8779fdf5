// What a model is just writing, told to the streams that look: over the bus, never stored, and never promised.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { busPart } from "../../../kernel/bus/part.ts";
import type { World } from "../../../kernel/context.ts";

export interface PreviewStart {
  id: string;
  type: "agent.message" | "agent.thinking";
  /** The position in the thread's log that it follows. */
  after: number;
}

/** Counted for each event, so that who missed one shows no more of it. */
export interface PreviewDelta {
  id: string;
  count: number;
  index: number;
  text: string;
}

export type Preview = { start: PreviewStart } | { delta: PreviewDelta };

const channelOf = (threadId: string) => `session previews ${threadId}`;

export const publishPreview = (world: World, threadId: string, preview: Preview): void =>
  busPart.of(world).publish(channelOf(threadId), JSON.stringify(preview));

export const hearPreviews = (
  world: World,
  threadId: string,
  listener: (preview: Preview) => void,
): (() => void) =>
  busPart
    .of(world)
    .subscribe(channelOf(threadId), (text) => listener(parseExactly(text) as Preview));

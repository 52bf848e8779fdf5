// What a model is just writing and how far a call is, told to the streams that look: over the bus, never stored, and
// never promised.
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { busPart } from "../../../kernel/bus/part.ts";
import type { World } from "../../../kernel/context.ts";
import type { Progress } from "../../mcp_client/module.ts";
import { limits } from "../limits.ts";

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

/** How far a call of an MCP server's tool is, by the id of its event. */
export interface PreviewProgress extends Progress {
  id: string;
  /** The position in the thread's log that it follows. */
  after: number;
}

export type Preview =
  | { start: PreviewStart }
  | { delta: PreviewDelta }
  | { progress: PreviewProgress };

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

/** The latest of what its server tells of a call, with pauses, until the signal: what comes meanwhile is left out. */
export function makeProgressTeller(
  world: World,
  { threadId, id, after }: { threadId: string } & Pick<PreviewProgress, "id" | "after">,
  ended: AbortSignal,
): (progress: Progress) => void {
  let latest: Progress | undefined;
  let numbers: Pick<Progress, "progress" | "total"> = { progress: null, total: null };
  let isPausing = false;
  const tellOn = async () => {
    isPausing = true;
    while (latest !== undefined && !ended.aborted) {
      publishPreview(world, threadId, { progress: { id, after, ...latest } });
      latest = undefined;
      await world.clock.sleep(limits.progressPauseMs, ended);
    }
    isPausing = false;
  };
  return (told) => {
    // Words alone say nothing against the numbers before them.
    if (told.progress !== null) numbers = { progress: told.progress, total: told.total };
    latest = { ...numbers, message: told.message };
    if (!isPausing) void tellOn();
  };
}

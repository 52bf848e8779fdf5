// The list of the tools of a server: read page by page, as far as a model can be offered them.
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { limits } from "../limits.ts";
import type { McpSettings } from "../settings.ts";
import { readTool, type Scrub, type ServerTool } from "./tools.ts";
import { boundedTtl } from "./verdicts.ts";

export interface ListedTools {
  tools: ServerTool[];
  /** There are more: the server has too many, or of some nothing can be offered. */
  hasMore: boolean;
  /** Of those it says it has, as many are not as the protocol has them. */
  unreadable: number;
  /** For how long it is good, where the server says so. */
  ttlMs: number | undefined;
}

export interface Waiting {
  signal: AbortSignal;
  /** By the monotonic clock. */
  untilMs: number;
}

/** No longer than both say; the first is what is told. */
export type Ask = <T>(
  timeoutMs: number,
  waiting: Waiting,
  work: (options: RequestOptions) => Promise<T>,
) => Promise<T>;

interface Listing {
  client: Client;
  settings: McpSettings;
  ask: Ask;
  scrub: Scrub;
  /** How many tools of the last page cannot be read. */
  leftOut: () => number;
}

export async function listTools(
  { client, settings, ask, scrub, leftOut }: Listing,
  isWanted: (name: string) => boolean,
  waiting: Waiting,
): Promise<ListedTools> {
  const tools = new Map<string, ServerTool>();
  if (client.getServerCapabilities()?.tools === undefined)
    return { tools: [], hasMore: false, unreadable: 0, ttlMs: undefined };
  let cursor: string | undefined;
  let unreadable = 0;
  let ttlMs: number | undefined;
  const found = (hasMore: boolean) => ({ tools: [...tools.values()], hasMore, unreadable, ttlMs });
  let hasMore = false;
  let room: number = limits.listCharactersMax;
  for (let page = 0; page < limits.pagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await ask(settings.connectMs, waiting, (options) =>
      client.request({ method: "tools/list", params }, options),
    );
    unreadable += leftOut();
    // All of it is as good as the page that is the first to be old.
    const pageMs = boundedTtl(listed.ttlMs, limits.listMs);
    ttlMs = page === 0 || pageMs === undefined ? pageMs : ttlMs && Math.min(ttlMs, pageMs);
    for (const tool of listed.tools) {
      if (tools.has(tool.name) || !isWanted(tool.name)) continue;
      if (tools.size >= settings.toolsMax) return found(true);
      const read = readTool(tool, settings, scrub);
      const size = read === undefined ? Infinity : JSON.stringify(read).length;
      if (read === undefined || size > room) {
        hasMore = true;
        continue;
      }
      room -= size;
      tools.set(tool.name, read);
    }
    cursor = listed.nextCursor;
    if (cursor === undefined) return found(hasMore);
  }
  return found(true);
}

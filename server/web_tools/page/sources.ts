// Whether an address stood in this conversation, in what an agent's addresses may come from.
import type { AgentConfig } from "../../agents/module.ts";
import type { Block, Turn } from "../../models/module.ts";
import { limits } from "../limits.ts";
import { webToolNames, type UrlSources } from "../config.ts";

type ToolSource = NonNullable<UrlSources["client_tool_results"]>;

/** Addresses end where white space, quotes, angle brackets or wide punctuation begin. */
const address =
  /https?:\/\/[^\s<>"'`\\\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+/gi;

/** Rule WEB5. Each text is looked through once. */
export function isFromSources(
  url: URL,
  sources: UrlSources,
  { turns, config }: { turns: readonly Turn[]; config: Pick<AgentConfig, "tools"> },
): boolean {
  const wanted = addressOf(url);
  const clientTools = new Set(
    config.tools.flatMap((tool) => (tool.type === "custom" ? tool.name : [])),
  );
  const toolOfCall = new Map<unknown, unknown>();
  const mayGive = (block: Block): boolean => {
    if (block.type !== "tool_result") return sources.user_input?.type !== "none";
    const name = toolOfCall.get(block["tool_use_id"]);
    if (typeof name !== "string") return false;
    if (clientTools.has(name)) return gives(sources.client_tool_results, name);
    return serverTools.has(name) && gives(sources.server_tool_results, name);
  };
  for (const { role, content } of turns) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of blocks) {
      // What a model says is no source: it would allow itself everything.
      if (role === "assistant") {
        if (block.type === "tool_use") toolOfCall.set(block["id"], block["name"]);
      } else if (mayGive(block) && textsOf(block).some((text) => hasAddress(text, wanted)))
        return true;
    }
  }
  return false;
}

const serverTools: ReadonlySet<string> = new Set(webToolNames);

/** Null: not named, so that all are meant. */
function gives(source: ToolSource | null, name: string): boolean {
  if (source === null || source.type === "all") return true;
  if (!("tools" in source)) return false;
  return source.tools.some((tool) => tool.name === name) === (source.type === "only");
}

function textsOf(block: Block): readonly string[] {
  if (block.type === "text") return typeof block["text"] === "string" ? [block["text"]] : [];
  const { content } = block;
  if (block.type !== "tool_result") return [];
  if (typeof content === "string") return [content];
  return Array.isArray(content) ? (content as Block[]).flatMap(textsOf) : [];
}

const hasAddress = (text: string, wanted: string): boolean =>
  text.matchAll(address).some(([found]) => candidatesOf(found).some((one) => one === wanted));

/** What stands at its end may belong to the sentence: each shorter reading counts, too. */
function candidatesOf(found: string): string[] {
  const candidates: string[] = [];
  let text = found;
  for (let tail = 0; tail <= limits.urlTailCharactersMax; tail++) {
    const url = URL.parse(text);
    if (url !== null) candidates.push(addressOf(url));
    if (!/[).,;:!?\]}*_|]$/.test(text)) break;
    text = text.slice(0, -1);
  }
  return candidates;
}

/** Without the part that the server is never told. */
function addressOf(url: URL): string {
  const hash = url.href.indexOf("#");
  return hash === -1 ? url.href : url.href.slice(0, hash);
}

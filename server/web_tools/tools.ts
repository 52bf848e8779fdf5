// The tools of the web, which this server runs itself: which of them an agent's model is offered, and what they answer.
import type { World } from "../../kernel/context.ts";
import type { AgentConfig } from "../agents/module.ts";
import type { Turn } from "../models/module.ts";
import {
  failed,
  type NetworkPolicy,
  type Refusal,
  ToolFault,
  type ToolInput,
  type ToolResult,
} from "../sandboxes/module.ts";
import { charged, type WebAccounting } from "./accounting.ts";
import { settingsOf, webToolNames, type ToolSettings, type WebToolName } from "./config.ts";
import { fetchPage } from "./page/fetch.ts";
import { search } from "./search/search.ts";
import { webSettingsOf } from "./settings.ts";

export const webTools: readonly string[] = webToolNames;

export interface OfferedWebTool {
  name: WebToolName;
  description: string;
  inputSchema: Record<string, unknown>;
  policy: ToolSettings["permission_policy"]["type"];
}

/** Those that the agent has. Rule WEB9: one that this server cannot run is not offered to its model. */
export function webToolsOf(
  world: Pick<World, "sections">,
  config: Pick<AgentConfig, "tools">,
): (OfferedWebTool & { isOffered: boolean })[] {
  const { provider } = webSettingsOf(world);
  return webToolNames.flatMap((name) => {
    const settings = settingsOf(config, name);
    if (settings === undefined) return [];
    const isOffered = name !== "web_search" || provider !== null;
    return [{ name, ...shapes[name], policy: settings.permission_policy.type, isOffered }];
  });
}

export const offeredWebTools = (
  world: Pick<World, "sections">,
  config: Pick<AgentConfig, "tools">,
): OfferedWebTool[] => webToolsOf(world, config).filter(({ isOffered }) => isOffered);

const text = (description: string) => ({ type: "string", description });
const domains = (description: string) => ({
  type: "array",
  items: { type: "string" },
  description,
});

const shapes: Record<WebToolName, Pick<OfferedWebTool, "description" | "inputSchema">> = {
  web_search: {
    description: "Searches the web: titles, addresses and a few words of up to ten pages.",
    inputSchema: {
      type: "object",
      properties: {
        query: text("What to look for."),
        allowed_domains: domains("Only pages of these domains and of those below them."),
        blocked_domains: domains("No pages of these."),
      },
      required: ["query"],
    },
  },
  web_fetch: {
    description: "Reads a page of the web as text with its links, a text as it is, or a PDF.",
    inputSchema: {
      type: "object",
      properties: { url: text("The whole address, such as https://example.com/guide.") },
      required: ["url"],
    },
  },
};

export interface WebCall {
  name: string;
  input: ToolInput;
  /** Of the agent that calls. */
  config: AgentConfig;
  /** All that its model is shown, results of this round among it: addresses may be limited to what stood there. */
  turns: readonly Turn[];
  policy: NetworkPolicy;
  /** Hears what the policy forbade. */
  onRefused: (refusal: Refusal) => void;
  accounting: WebAccounting;
}

export interface WebToolUsage {
  web_search_requests: number;
  web_fetch_requests: number;
}

export type WebToolResult = ToolResult & { usage: WebToolUsage };

/**
 * What a model asks for wrongly, and what the web does not give, is told to it; an abort is thrown, and so is a
 * database that is away. What costs something is settled when this resolves.
 */
export async function runWebTool(
  world: World,
  call: WebCall,
  signal: AbortSignal,
): Promise<WebToolResult> {
  try {
    const result = await run(world, call, signal);
    return {
      ...result,
      usage: {
        web_search_requests: call.name === "web_search" ? 1 : 0,
        web_fetch_requests: call.name === "web_fetch" ? 1 : 0,
      },
    };
  } catch (error) {
    if (!(error instanceof ToolFault)) throw error;
    const usage = { web_search_requests: 0, web_fetch_requests: 0 };
    return { ...failed(`${call.name}: ${error.message}`), usage };
  }
}

async function run(
  world: World,
  { name, input, accounting, ...call }: WebCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { provider, priceNano } = webSettingsOf(world);
  if (name === "web_fetch") {
    const settings = expectEnabled(settingsOf(call.config, name));
    const charge = { name, upstream: "web", priceNano: priceNano[name] } as const;
    return charged(accounting, charge, () =>
      fetchPage(world, input, { ...call, settings }, signal),
    );
  }
  if (name !== "web_search") throw new ToolFault("There is no such tool.");
  const settings = expectEnabled(settingsOf(call.config, name));
  if (provider === null)
    throw new ToolFault(
      "This server has no search server. Its operator names one with the setting web.search_provider.",
    );
  const charge = { name, upstream: provider.name, priceNano: priceNano[name] } as const;
  return charged(accounting, charge, () => search(world, input, { settings, provider }, signal));
}

function expectEnabled<Settings>(settings: Settings | undefined): Settings {
  if (settings === undefined) throw new ToolFault("This agent does not have it.");
  return settings;
}

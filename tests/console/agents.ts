// What the tests of the pages of agents share: agents with a past, and the parts of the pages.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { House } from "../house.ts";

export const path = "/console/agents";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };

export interface Agent {
  id: string;
  version: number;
  name: string;
  description: string | null;
  model: { id: string; effort?: string };
  system: string | null;
  tools: Record<string, unknown>[];
  mcp_servers: { name: string; url: string }[];
  skills: { skill_id: string; version: string }[];
  metadata: Record<string, string>;
  multiagent: Record<string, unknown> | null;
  archived_at: string | null;
}

/** Asks as a program with the key of the tenant's default workspace. */
export function agentClient(house: House, tenant: keyof House["organizations"] = "platform") {
  const { api_key: key } = house.organizations[tenant];
  const ask = async (method: string, route: string, body?: unknown) => {
    const answer = await house.ask(method, `/v1${route}`, {
      key,
      headers: beta,
      ...(body !== undefined && { body }),
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  return {
    ask,
    make: (body: object): Promise<Agent> => ask("POST", "/agents", { model: "sim-large", ...body }),
    change: ({ id }: { id: string }, body: object): Promise<Agent> =>
      ask("POST", `/agents/${id}`, body),
    read: (id: string): Promise<Agent> => ask("GET", `/agents/${id}`),
    list: async (): Promise<Agent[]> => (await ask("GET", "/agents?limit=100")).data,
  };
}
export type AgentClient = ReturnType<typeof agentClient>;

const prompt = `You help the support team of a small shop.

Answer in short sentences.
Look an order up before you speak of it.
Never promise a date that the shop has not given.
`;

export const lookUp = {
  type: "custom",
  name: "look_up_order",
  description: "Gives an order by its number: what was bought, where it is, who wrote about it.",
  input_schema: {
    type: "object",
    properties: { number: { type: "string", description: "Such as 2026-0117." } },
    required: ["number"],
  },
};

/** An agent as teams leave it: three versions, tools of each kind, a member. */
export async function makeSampleAgent(client: AgentClient, name = "Support") {
  const researcher = await client.make({ name: `${name} research`, model: "sim-small" });
  const first = await client.make({
    name,
    description: "Answers what customers ask, and knows their orders.",
    system: prompt,
    tools: [{ type: "agent_toolset_20260401" }],
    metadata: { team: "support" },
  });
  await client.change(first, {
    system: prompt.replace("short sentences", "two sentences at most"),
    tools: [
      {
        type: "agent_toolset_20260401",
        configs: [
          { name: "bash", permission_policy: { type: "always_ask" } },
          { name: "write", enabled: false },
          { name: "web_search", allowed_domains: ["docs.example.com"] },
        ],
      },
      lookUp,
    ],
  });
  const agent = await client.change(first, {
    mcp_servers: [{ type: "url", name: "tracker", url: "https://mcp.example.com/tracker" }],
    tools: [
      {
        type: "agent_toolset_20260401",
        configs: [
          { name: "bash", permission_policy: { type: "always_ask" } },
          { name: "write", enabled: false },
          { name: "web_search", allowed_domains: ["docs.example.com"] },
        ],
      },
      { type: "mcp_toolset", mcp_server_name: "tracker" },
      lookUp,
    ],
    multiagent: { type: "coordinator", agents: [researcher.id] },
  });
  return { agent, researcher };
}

export const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
/** Not what tells in a corner that something was done: that is a dialog to a screen reader, too. */
export const dialogOn = (page: Page) => page.locator('[role="dialog"]:not([aria-modal="false"])');
export const heading = (page: Page, name: string) =>
  page.getByRole("heading", { level: 1, name, exact: true });
export const jsonField = (page: Page) => page.getByLabel("The agent as JSON");

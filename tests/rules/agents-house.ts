// What the tests of agents share: a house, and what can be done with its agents.
import assert from "node:assert/strict";
import type { Static } from "typebox";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import type { Agent as AgentShape } from "../../server/agents/schema.ts";
import { openHouse, type Answer, type Ask, type House, type HouseOptions } from "../house.ts";
import type { Page } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

export type Agent = Static<typeof AgentShape>;

export const agentPath = "/v1/agents";
export const managedAgents = { "vendor-beta": "managed-agents-2026-04-01" };
/** Speaks as the official client does. */
const newer = { "vendor-version": "2026-10-21" };

export type AgentCalls = ReturnType<typeof agentsOf>;

/** Calls as the platform's workspace unless another key or cookie is given; those that give an agent must succeed. */
export function agentsOf(houseOf: () => House) {
  const call = (method: string, path: string, asking: Ask = {}): Promise<Answer> => {
    const { headers, ...rest } = asking;
    const key = houseOf().organizations.platform.api_key;
    const credential = rest.key === undefined && rest.cookie === undefined ? { key } : {};
    return houseOf().ask(method, agentPath + path, {
      ...credential,
      ...rest,
      headers: { ...managedAgents, ...newer, ...headers },
    });
  };
  const good = async <T>(method: string, path: string, asking: Ask = {}): Promise<T> => {
    const { status, body } = await call(method, path, asking);
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const create = (body: object) => call("POST", "", { body: { name: "a", model, ...body } });
  const update = (id: string, body: object | string) => call("POST", `/${id}`, { body });
  return {
    call,
    good,
    create,
    update,
    make: (body: object = {}, asking: Ask = {}) =>
      good<Agent>("POST", "", { ...asking, body: { name: "a", model, ...body } }),
    change: (id: string, body: object) => good<Agent>("POST", `/${id}`, { body }),
    read: (id: string, asking: Ask = {}) => good<Agent>("GET", `/${id}`, asking),
    archive: (id: string, asking: Ask = {}) => good<Agent>("POST", `/${id}/archive`, asking),
    /** Each body of a create is refused with 400 and a sentence like this. */
    refuses: async (wrong: readonly (readonly [body: object, sentence: RegExp])[]) => {
      for (const [body, sentence] of wrong)
        assert.match(sentenceOf(await create(body), 400), sentence);
    },
    all: async (path: string, query: Record<string, string> = {}): Promise<Page<Agent>[]> => {
      const pages: Page<Agent>[] = [];
      let next: string | null = null;
      do {
        const where = new URLSearchParams(next === null ? query : { ...query, page: next });
        const page: Page<Agent> = await good("GET", `${path}?${where.toString()}`);
        pages.push(page);
        next = page.next_page;
      } while (next !== null);
      return pages;
    },
  };
}

export const model = "sim-large";

export async function openAgentHouse(options: HouseOptions = {}) {
  const wall = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  const house = await openHouse({ ...options, clock: { ...systemClock, now: () => wall.now() } });
  return {
    house,
    wall,
    ...house.organizations,
    ...agentsOf(() => house),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}
export type AgentHouse = Awaited<ReturnType<typeof openAgentHouse>>;

export const toolset = "agent_toolset_20260401";
export const server = (name: string) => ({ type: "url", name, url: `https://${name}.example/mcp` });
export const toolsetOf = (name: string) => ({ type: "mcp_toolset", mcp_server_name: name });
export const custom = (name: string, more: object = {}) => ({
  type: "custom",
  name,
  description: "Does it",
  input_schema: { type: "object" },
  ...more,
});
/** A toolset that says this of one tool. */
export const configured = (name: string, more: object = {}) => ({
  tools: [{ type: toolset, configs: [{ name, ...more }] }],
});

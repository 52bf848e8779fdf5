// What the tests of the tools of the web share: a session in whose name they run, and servers that they reach.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { World } from "../../kernel/context.ts";
import type { AgentConfig } from "../../server/agents/module.ts";
import { completeTools } from "../../server/agents/config/tools.ts";
import type { ToolInput as ToolConfig } from "../../server/agents/config/schema-tools.ts";
import type { Turn } from "../../server/models/module.ts";
import { actorOf, webAccounting } from "../../server/sessions/model/caller.ts";
import {
  loadSessions,
  sumUpWebUse,
  type WorkedSession,
} from "../../server/sessions/model/queries.ts";
import {
  offeredWebTools,
  runWebTool,
  type WebAccounting,
  type WebToolResult,
} from "../../server/web_tools/module.ts";
import type { NetworkPolicy, Refusal } from "../../server/sandboxes/module.ts";
import type { WebSettings } from "../../server/web_tools/settings.ts";
import { openHouse } from "../house.ts";
import { sessionsOf } from "./sessions-house.ts";

export interface Peer extends AsyncDisposable {
  port: number;
  /** Of the host that it is reached by. */
  url(path?: string, host?: string): string;
  requests: IncomingMessage[];
}

/** Listens at all of the loopback. */
export async function listen(answer: RequestListener): Promise<Peer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path = "/", host = "127.0.0.1") => `http://${host}:${port}${path}`,
    requests,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Answers each path with what stands for it. */
export const pages =
  (
    byPath: Record<string, string | Buffer | [type: string | null, body: string | Buffer]>,
  ): RequestListener =>
  ({ url = "" }, response) => {
    const page = byPath[url];
    const [type, body] = Array.isArray(page) ? page : ["text/html; charset=utf-8", page];
    if (body === undefined) response.writeHead(404, { "content-type": "text/plain" });
    else if (type !== null) response.writeHead(200, { "content-type": type });
    response.end(body ?? `nothing at ${url}`);
  };

export const toLoopback = { network: { allow_private_addresses: ["127.0.0.0/8"] } };
export const free: WebSettings = { provider: null, priceNano: { web_search: 0, web_fetch: 0 } };

export interface WebAsking {
  /** Of the toolset, and custom ones beside it. */
  configs?: readonly object[];
  custom?: readonly string[];
  model?: string;
  turns?: readonly Turn[];
  policy?: NetworkPolicy;
  onRefused?: (refusal: Refusal) => void;
  web?: Partial<WebSettings>;
  sections?: Record<string, unknown>;
  signal?: AbortSignal;
}

export type WebHouse = Awaited<ReturnType<typeof openWebHouse>>;

export async function openWebHouse() {
  const house = await openHouse({ sections: toLoopback });
  const sessions = sessionsOf(() => house);
  const { id } = await sessions.make();
  const [loaded] = await loadSessions(house.world.db, [id]);
  assert.ok(loaded !== undefined);
  const session: WorkedSession = loaded;
  const configOf = ({
    configs = [],
    custom = [],
    model = "sim-small",
  }: WebAsking): AgentConfig => ({
    ...session.agent.config,
    model: { ...session.agent.config.model, id: model },
    tools: completeTools([
      { type: "agent_toolset_20260401", configs: [...configs] } as ToolConfig,
      ...custom.map((name): ToolConfig => ({
        type: "custom",
        name,
        description: "",
        input_schema: { type: "object" },
      })),
    ]),
  });
  const worldOf = ({ web = {}, sections = {} }: WebAsking): World => ({
    ...house.world,
    sections: { ...house.world.sections, web: { ...free, ...web }, ...sections },
  });
  const accountingOf = async (signal = new AbortController().signal): Promise<WebAccounting> => {
    const actor = await actorOf(house.world, session, signal);
    const { agent, environmentId, deploymentId } = session;
    const dimensions = { sessionId: id, agentId: agent.id, environmentId, deploymentId };
    return webAccounting(actor, session.threadId, dimensions, (use) =>
      sumUpWebUse(session.usage, use),
    );
  };
  const run = async (
    name: string,
    input: object,
    asking: WebAsking = {},
  ): Promise<WebToolResult> => {
    const world = worldOf(asking);
    const { turns = [], policy = { type: "unrestricted" }, onRefused = () => {} } = asking;
    const { signal = new AbortController().signal } = asking;
    const accounting = await accountingOf(signal);
    const config = configOf(asking);
    const call = { name, input: { ...input }, config, turns, policy, onRefused, accounting };
    return runWebTool(world, call, signal);
  };
  return {
    house,
    session,
    sessions,
    accountingOf,
    run,
    /** Its text; an error begins with an exclamation mark. */
    said: async (name: string, input: object, asking: WebAsking = {}): Promise<string> => {
      const { content, isError } = await run(name, input, asking);
      const text = content.map((block) => (block.type === "text" ? block.text : block.type));
      return `${isError ? "! " : ""}${text.join("\n")}`;
    },
    offered: (asking: WebAsking) => offeredWebTools(worldOf(asking), configOf(asking)),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  };
}

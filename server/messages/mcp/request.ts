// A request that names servers which this server calls itself: judged, its servers asked for their tools.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import { parseOriginalBody } from "../../../kernel/http/input/body.ts";
import { catalogOf, type Block, type MessageBody, type Model } from "../../models/module.ts";
import { fieldOffsetsOf } from "../prepare/field-offsets.ts";
import type { Incoming } from "../prepare/prepared-request.ts";
import { limits } from "../limits.ts";
import { resolveModel } from "../prepare/resolve-model.ts";
import { validateBody, type BodyFacts } from "../validate/body.ts";
import { Connections } from "./connections.ts";
import { offerTools, type Offered } from "./offered.ts";
import { expectServable, readServers } from "./servers.ts";
import { callsServers, splitTurns } from "./turns.ts";

export interface ServersRequest {
  actor: Actor;
  /** As the client sent it, without what has no meaning. */
  body: MessageBody;
  offered: Offered;
  connections: Connections;
}

/**
 * Undefined where the model's upstream calls the servers. Everything that can be judged without a server is judged
 * before one is asked.
 */
export async function openRequest(
  actor: Actor,
  incoming: Incoming,
  call: NonNullable<BodyFacts["call"]>,
): Promise<ServersRequest | undefined> {
  const model = resolveModel(catalogOf(actor), incoming.value, actor.who);
  if (callsServers(model)) return undefined;
  const body = incoming.value as MessageBody;
  const refused = validateBody(judged(body), { model: asIfCalling(model), call });
  if (refused !== undefined) throw refused;
  fieldOffsetsOf(incoming);
  expectServable(body);
  const servers = readServers(actor, body);
  const own: Actor = { ...actor, signal: actor.signal, betas: betasOf(actor.betas) };
  const connections = new Connections(own);
  try {
    const offered = await offerTools(body, servers, connections, model);
    return { actor: own, body, offered, connections };
  } catch (error) {
    await connections[Symbol.asyncDispose]();
    throw error;
  }
}

const asIfCalling = (model: Model): Model => ({
  ...model,
  pass: [...model.pass, "mcp_servers", "mcp_toolset"],
});

/** In the older form a server has no toolset, and its tools can be chosen all the same. */
function judged(body: MessageBody): MessageBody {
  const { mcp_servers: servers, tools = [] } = body as { mcp_servers?: unknown; tools?: unknown };
  if (!Array.isArray(servers) || !Array.isArray(tools)) return body;
  const named = new Set(
    tools.map((tool: { mcp_server_name?: unknown } | null) => tool?.mcp_server_name),
  );
  const older = (servers as ({ name?: unknown } | null)[])
    .map((server) => server?.name)
    .filter((name) => typeof name === "string" && !named.has(name))
    .map((name) => ({ type: "mcp_toolset", mcp_server_name: name }));
  return older.length === 0 ? body : { ...body, tools: [...tools, ...older] };
}

/** A credit would be for one round of several; the other beta is done with here. */
const betasOf = (betas: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...betas].filter((beta) => !/^(?:fallback-credit|mcp-client)-/.test(beta)));

/**
 * The request that the model is asked with, after what it has said and been told in this answer. Which others may take
 * over is settled in the first round.
 */
export function plainRequest(
  { body, offered }: Pick<ServersRequest, "body" | "offered">,
  said: readonly Block[] = [],
  maxTokens = body.max_tokens,
): { incoming: Incoming; inClientsNumbers: (error: unknown) => unknown } {
  const { mcp_servers: _, tools: __, tool_choice: choice, fallbacks, ...rest } = body;
  const answer = said.length === 0 ? [] : [{ role: "assistant" as const, content: said }];
  const { turns, origins } = splitTurns([...body.messages, ...answer], offered.nameOf);
  const goesOn = body.messages.length > 0 && (said.length > 0 || endsWithResult(body));
  const plain = {
    ...rest,
    ...((offered.tools.length > 0 || body.tools !== undefined) && { tools: offered.tools }),
    ...(choice !== undefined && { tool_choice: plainChoice(choice, offered, goesOn) }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...thinkingWithin(body, maxTokens),
    ...(fallbacks !== undefined && said.length === 0 && { fallbacks }),
    messages: turns,
  };
  return {
    incoming: parseOriginalBody(Buffer.from(JSON.stringify(plain))),
    inClientsNumbers: (error) =>
      error instanceof Failure ? renumbered(error, origins, body.messages.length) : error,
  };
}

/** The client sends back a turn that has paused. */
function endsWithResult({ messages }: MessageBody): boolean {
  const content = messages.at(-1)?.content;
  return Array.isArray(content) && (content as Block[]).at(-1)?.type === "mcp_tool_result";
}

/** A choice is forced once: a model that must call a tool again and again never answers. */
function plainChoice(
  choice: NonNullable<MessageBody["tool_choice"]>,
  { byName, tools }: Offered,
  goesOn: boolean,
): MessageBody["tool_choice"] {
  const { type, name, ...rest } = choice;
  if (type !== "any" && type !== "tool") return choice;
  if (goesOn) return { ...rest, type: "auto" };
  if (name === undefined || tools.some((tool) => tool["name"] === name)) return choice;
  const long = [...byName].find(([, { tool }]) => tool.name === name);
  return long === undefined ? choice : { ...choice, name: long[0] };
}

/** A budget is less than what is left to be written. */
export function thinkingWithin({ thinking }: MessageBody, maxTokens: number | undefined) {
  const budget = thinking?.["budget_tokens"];
  if (typeof budget !== "number" || maxTokens === undefined || budget < maxTokens) return {};
  return { thinking: { ...thinking, budget_tokens: maxTokens - 1 } };
}

/** The least that a round can be asked with. */
export const tokensNeeded = ({ thinking }: MessageBody): number =>
  thinking?.["budget_tokens"] === undefined ? 1 : limits.thinkingTokensMin + 1;

function renumbered(failure: Failure, origins: readonly number[], clients: number): Failure {
  const message = failure.message.replace(/\bmessages\.(\d+)/g, (path, number: string) => {
    const origin = origins[Number(number)] ?? clients;
    return origin < clients ? `messages.${origin}` : `this answer's ${path}`;
  });
  if (message === failure.message) return failure;
  return new Failure(failure.type, message, { ...failure.options, cause: failure });
}

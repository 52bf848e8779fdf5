// Calls of MCP servers' tools in earlier turns, as a model reads them: calls of tools, and results in user turns.
import { modelNameOf } from "../../mcp_client/module.ts";
import type { Block, MessageBody, Model, Turn } from "../../models/module.ts";
import { mcpLimits } from "./limits.ts";

type Turns = MessageBody["messages"];

/** What a model calls a tool of a server. */
export type NameOf = (server: string, tool: string) => string;

/** The upstream of the model calls the servers itself, and reads these blocks. */
export const callsServers = ({ pass }: Pick<Model, "pass">): boolean =>
  pass.includes("mcp_servers");

const plainPattern = new RegExp(`^[A-Za-z0-9_-]{1,${mcpLimits.plainNameCharactersMax}}$`);

/** Its own name where every upstream takes that, else the long form of it. */
export const plainNameOf: NameOf = (server, tool) =>
  plainPattern.test(tool) ? tool : modelNameOf(server, tool);

const isMcpBlock = ({ type }: Block) => type.startsWith("mcp_tool_");

const hasMcpBlock = ({ role, content }: Turn) =>
  role === "assistant" && typeof content !== "string" && content.some(isMcpBlock);

/** The very same turns where no server's tool was called in them. */
export const plainTurns = (messages: Turns): Turns =>
  messages.some(hasMcpBlock) ? splitTurns(messages, plainNameOf).turns : messages;

/** The turns, and of each the number of the turn that it was made of. */
export function splitTurns(messages: Turns, nameOf: NameOf): { turns: Turn[]; origins: number[] } {
  const turns: Turn[] = [];
  const origins: number[] = [];
  for (const [at, turn] of messages.entries())
    for (const each of hasMcpBlock(turn) ? splitTurn(turn, nameOf) : [turn]) {
      turns.push(each);
      origins.push(at);
    }
  return { turns, origins };
}

/**
 * What the model wrote after a result is a turn of its own. Where it called a tool of the client's too, the client's
 * result comes in the next turn, so nothing is put between.
 */
function splitTurn({ content, ...turn }: Turn, nameOf: NameOf): Turn[] {
  const blocks = content as readonly Block[];
  const given = new Map(
    blocks.flatMap((block) =>
      block.type === "mcp_tool_result" ? [[block["tool_use_id"], block] as const] : [],
    ),
  );
  const turns: Turn[] = [];
  let said: Block[] = [];
  let results: Block[] = [];
  let [isAnswered, callsClient] = [false, false];
  const flush = () => {
    if (said.length > 0) turns.push({ ...turn, content: said });
    if (results.length > 0) turns.push({ role: "user", content: results });
    [said, results, isAnswered, callsClient] = [[], [], false, false];
  };
  for (const block of blocks) {
    if (block.type === "mcp_tool_listing") continue;
    if (block.type === "mcp_tool_result") {
      isAnswered ||= results.length > 0;
      continue;
    }
    if (isAnswered && !callsClient) flush();
    callsClient ||= block.type === "tool_use";
    said.push(block.type === "mcp_tool_use" ? plainCall(block, nameOf) : block);
    if (block.type === "mcp_tool_use")
      results.push(plainResult(String(block["id"]), given.get(block["id"])));
  }
  flush();
  return turns;
}

const ourIds = /^mcptoolu_/;
const plainId = (id: string) => id.replace(ourIds, "toolu_");

const plainCall = ({ id, name, server_name: server, ...rest }: Block, nameOf: NameOf): Block => ({
  ...rest,
  type: "tool_use",
  id: plainId(String(id)),
  name: nameOf(String(server), String(name)),
});

const plainResult = (id: string, result: Block | undefined): Block => ({
  ...(result ?? { content: "This call was broken off before it had a result.", is_error: true }),
  type: "tool_result",
  tool_use_id: plainId(id),
});

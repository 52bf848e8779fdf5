// What tools and the choice among them must fulfil together.
import type { Failure } from "../../kernel/base/failure.ts";
import type { MessageBody, Model } from "../models/module.ts";
import { misfit } from "./validate-problem.ts";

export function toolProblem(body: MessageBody, model: Model): Failure | undefined {
  const { tools = [], tool_choice: choice } = body;
  const servers = body["mcp_servers"] as readonly { name: string }[] | undefined;
  if (tools.length === 0 && choice === undefined && servers === undefined) return undefined;
  return listProblem(tools, model) ?? serverProblem(body, servers) ?? choiceProblem(body);
}

function listProblem(tools: NonNullable<MessageBody["tools"]>, model: Model): Failure | undefined {
  if (tools.length > 0 && !model.tools)
    return misfit(["tools"], `are not taken by ${model.id}; leave them out or use another model`);
  const names = new Map<unknown, number>();
  for (const [index, { type = "custom", name }] of tools.entries()) {
    if (typeof type === "string" && type !== "custom" && !model.pass.includes(type)) {
      const typed = model.pass.filter((word) => /_\d{8}$|^mcp_toolset$/.test(word));
      const taken = typed.length === 0 ? "custom tools only" : `custom, ${typed.join(", ")}`;
      return misfit(["tools", index, "type"], `${model.id} takes ${taken}`, type);
    }
    if (name === undefined) continue;
    const before = names.get(name);
    if (before !== undefined)
      return misfit(["tools", index, "name"], `must not be the name of tools.${before} too`, name);
    names.set(name, index);
  }
  return undefined;
}

/** A toolset stands for the tools of a server that the request names. */
function serverProblem(
  body: MessageBody,
  servers: readonly { name: string }[] = [],
): Failure | undefined {
  const names = servers.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1)
    return misfit(["mcp_servers", twice, "name"], "must not be given twice", names[twice]);
  for (const [index, tool] of (body.tools ?? []).entries())
    if (tool["type"] === "mcp_toolset" && !names.includes(String(tool["mcp_server_name"])))
      return misfit(
        ["tools", index, "mcp_server_name"],
        "must be the name of one of mcp_servers",
        tool["mcp_server_name"] ?? null,
      );
  return undefined;
}

function choiceProblem({ tools = [], tool_choice: choice, messages }: MessageBody) {
  if (choice === undefined) return undefined;
  const { type, name } = choice;
  if (type !== "any" && type !== "tool") return undefined;
  const isOpen = tools.some((tool) => /toolset/.test(String(tool["type"])));
  const names = [...tools.map((tool) => tool["name"]), ...addedNames(messages)];
  if (isOpen || (type === "any" && names.length > 0) || names.includes(name)) return undefined;
  if (names.length === 0)
    return misfit(["tool_choice", "type"], "needs tools to choose from; give tools or auto", type);
  const known = names.slice(0, 12).map((known) => JSON.stringify(known));
  return misfit(["tool_choice", "name"], `must be one of the tools: ${known.join(", ")}`, name);
}

/** Tools that a turn of the system brought in on the way. */
function addedNames(messages: MessageBody["messages"]): unknown[] {
  const added: unknown[] = [];
  for (const { content } of messages) {
    if (typeof content === "string" || content === undefined) continue;
    for (const { type, tool } of content) {
      if (type !== "tool_addition") continue;
      const { name, definition } = tool as { name?: string; definition?: { name?: string } };
      added.push(definition?.name ?? name);
    }
  }
  return added;
}

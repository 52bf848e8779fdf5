// What tools and the choice among them must fulfil together.
import type { Failure } from "../../../kernel/base/failure.ts";
import {
  availableTools,
  passesTool,
  toolChangeOf,
  type Block,
  type MessageBody,
  type Model,
  type Tool,
} from "../../models/module.ts";
import { invalidField } from "../problem.ts";

export function toolProblem(body: MessageBody, model: Model): Failure | undefined {
  const { tools = [], tool_choice: choice } = body;
  const servers = body["mcp_servers"] as readonly { name: string }[] | undefined;
  if (tools.length === 0 && choice === undefined && servers === undefined) return undefined;
  // First, since a toolset without its server is no question of what the model takes.
  return serverProblem(body, servers) ?? listProblem(tools, model) ?? choiceProblem(body);
}

function listProblem(tools: NonNullable<MessageBody["tools"]>, model: Model): Failure | undefined {
  if (tools.length > 0 && !model.tools)
    return invalidField(
      ["tools"],
      `are not taken by ${model.id}; leave them out or use another model`,
    );
  const names = new Map<unknown, number>();
  for (const [index, { type, name }] of tools.entries()) {
    const untaken = typeProblem(type, ["tools", index, "type"], model);
    if (untaken !== undefined) return untaken;
    if (name === undefined) continue;
    const before = names.get(name);
    if (before !== undefined)
      return invalidField(
        ["tools", index, "name"],
        `must not be the name of tools.${before} too`,
        name,
      );
    names.set(name, index);
  }
  return undefined;
}

function typeProblem(type: unknown, path: ToolChangeBlock["path"], model: Model) {
  if (typeof type !== "string" || type === "custom" || passesTool(model, type)) return undefined;
  const typed = model.pass.filter((word) => /_\d{8}$|^mcp_toolset$|^tool_search_tool_/.test(word));
  const taken = typed.length === 0 ? "custom tools only" : `custom, ${typed.join(", ")}`;
  return invalidField(path, `${model.id} takes ${taken}`, type);
}

/** A toolset stands for the tools of a server that the request names. */
function serverProblem(body: MessageBody, servers: readonly { name: string }[] = []) {
  const names = servers.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1)
    return invalidField(["mcp_servers", twice, "name"], "must not be given twice", names[twice]);
  for (const [index, tool] of (body.tools ?? []).entries())
    if (tool["type"] === "mcp_toolset" && !names.includes(String(tool["mcp_server_name"])))
      return invalidField(
        ["tools", index, "mcp_server_name"],
        "must be the name of one of mcp_servers",
        tool["mcp_server_name"] ?? null,
      );
  return undefined;
}

function choiceProblem(body: MessageBody) {
  const { tool_choice: choice } = body;
  if (choice === undefined) return undefined;
  const { type, name } = choice;
  if (type !== "any" && type !== "tool") return undefined;
  const tools = availableTools(body);
  const names = tools.map((tool) => tool["name"]);
  const isOpen = tools.some(isToolset) || hasCompaction(body);
  if (isOpen || (type === "any" && names.length > 0) || names.includes(name)) return undefined;
  if (names.length === 0)
    return invalidField(
      ["tool_choice", "type"],
      "needs tools to choose from; give tools or auto",
      type,
    );
  const known = names.slice(0, 12).map((known) => JSON.stringify(known));
  return invalidField(
    ["tool_choice", "name"],
    `must be one of the tools: ${known.join(", ")}`,
    name,
  );
}

/** Its tools have names that only its server knows. */
const isToolset = ({ type }: Tool) => /toolset/.test(String(type));

/** The turns that it stands for may have brought tools in, by their definitions. */
const hasCompaction = ({ messages: [first] }: MessageBody) =>
  typeof first?.content === "object" && first.content.some(({ type }) => type === "compaction");

const kindOf = (type: unknown): string => (typeof type === "string" ? type : "custom");

/** A tool that a turn brings in or takes away. */
export interface ToolChangeBlock {
  block: Block;
  path: readonly (string | number)[];
}

/** Rule MSG33: an added tool is judged as those of the request; a tool that is only named must be there. */
export function toolChangeProblem(
  changes: readonly ToolChangeBlock[],
  body: MessageBody,
  model: Model,
): Failure | undefined {
  const tools = body.tools ?? [];
  const kinds = new Map<unknown, string>(tools.map(({ name, type }) => [name, kindOf(type)]));
  const servers = (body["mcp_servers"] ?? []) as readonly { name: string }[];
  let isOpen = tools.some(isToolset) || hasCompaction(body);
  for (const { block, path } of changes) {
    if (!model.tools)
      return invalidField(
        [...path, "type"],
        `is not taken by ${model.id}: it takes no tools`,
        block.type,
      );
    const { name, server_name: server, definition } = toolChangeOf(block) ?? {};
    const at = [...path, "tool"];
    if (definition !== undefined) {
      const { name: defined, type } = definition;
      const problem =
        typeProblem(type, [...at, "definition", "type"], model) ??
        conflict(defined, kindOf(type), kinds, [...at, "definition", "name"]);
      if (problem !== undefined) return problem;
      kinds.set(defined, kindOf(type));
      isOpen ||= isToolset(definition);
    } else if (server !== undefined) {
      if (!servers.some((each) => each.name === server))
        return unresolved([...at, "server_name"], "must be the name of one of mcp_servers", server);
    } else if (!isOpen && !kinds.has(name))
      return unresolved(
        [...at, "name"],
        "must be the name of one of tools, or of a tool that came in before",
        name,
      );
  }
  return undefined;
}

const unresolved = (path: ToolChangeBlock["path"], rule: string, found: unknown) =>
  invalidField(path, rule, found, "tool_reference_unresolved");

/** The same kind under the same name is defined anew. */
function conflict(
  name: unknown,
  kind: string,
  kinds: ReadonlyMap<unknown, string>,
  path: ToolChangeBlock["path"],
): Failure | undefined {
  const before = kinds.get(name);
  if (name === undefined || before === undefined || before === kind) return undefined;
  const rule = `must not be the name of a tool of another kind (${before})`;
  return invalidField(path, rule, name, "tool_name_conflict");
}

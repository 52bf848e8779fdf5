// What turns must fulfil together: which role is first and last, tools that are answered, what the model can see.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import {
  ignoresThinking,
  type Block,
  type MessageBody,
  type Model,
  type Turn,
} from "../../models/module.ts";
import { isBlank, isEmptyTurn, type ThoughtCheck } from "../prepare/history.ts";
import { effortProblem } from "./model.ts";
import { invalidField } from "../problem.ts";
import { toolChangeProblem, type ToolChangeBlock } from "./tools.ts";

type Path = readonly (string | number)[];

interface Facts {
  model: Model;
  call?: "create" | "count";
  continues?: boolean;
  mayBeOwnThought?: ThoughtCheck;
}

/** What the walk over the turns has seen. Turns of one role in a row are one; a system turn between belongs to none. */
interface Walk {
  role: "user" | "assistant" | undefined;
  /** Calls of the assistant's last turn that want an answer. */
  open: Map<string, Path>;
  /** Calls that need none: a fallback came after them, or the answer is there. */
  spared: Set<string>;
  answered: Set<string>;
  /** The last turn of the assistant stopped in the middle of a server's tool. */
  isPaused: boolean;
  /** Something of the assistant's last turn is shown to the model: there is something to go on from. */
  hasSpoken: boolean;
  /** Tools that turns bring in or take away. */
  changes: ToolChangeBlock[];
}

const ofAssistant: ReadonlySet<string> = new Set([
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
  "thinking",
  "redacted_thinking",
  "fallback",
  "connector_text",
]);

export function turnProblem(body: MessageBody, facts: Facts): Failure | undefined {
  const { messages } = body;
  const first = firstProblem(messages[0]);
  if (first !== undefined) return first;
  const walk: Walk = {
    role: undefined,
    open: new Map(),
    spared: new Set(),
    answered: new Set(),
    isPaused: false,
    hasSpoken: false,
    changes: [],
  };
  for (let at = 0; at < messages.length; at++) {
    const turn = messages[at] as Turn;
    const problem =
      turn.role === "system"
        ? systemProblem(walk, turn, at, facts.model)
        : (startTurn(walk, turn.role) ?? contentProblem(walk, turn, at, facts));
    if (problem !== undefined) return problem;
  }
  const changed =
    walk.changes.length > 0 ? toolChangeProblem(walk.changes, body, facts.model) : undefined;
  if (changed !== undefined || facts.call === "count") return changed;
  // A call in a continuation is one that another model left open: the next one does not see it.
  const isContinued = facts.continues === true && walk.role === "assistant";
  const left = walk.open.size > 0 && !isContinued ? unanswered(walk) : undefined;
  return left ?? (walk.role === "assistant" ? prefillProblem(walk, body, facts) : undefined);
}

/** A compaction stands for the turns that it summarizes, and it is the assistant's. */
function firstProblem(turn: Turn | undefined): Failure | undefined {
  if (turn === undefined || turn.role === "user") return undefined;
  const isSummary =
    turn.role === "assistant" &&
    typeof turn.content !== "string" &&
    turn.content[0]?.type === "compaction";
  if (isSummary) return undefined;
  return invalidField(
    ["messages", 0, "role"],
    'must be "user": the first turn is the user\'s',
    turn.role,
  );
}

function systemProblem(walk: Walk, turn: Turn, at: number, model: Model): Failure | undefined {
  const config = turn["output_config"] as Record<string, unknown> | null | undefined;
  // The shape lets a system turn come without content.
  const content: unknown = turn.content;
  const isEmpty = content === undefined && Object.keys(config ?? {}).length === 0;
  if (isEmpty)
    return invalidField(["messages", at, "content"], "is required, or output_config.effort is");
  if (Array.isArray(content))
    for (const [index, block] of (content as Block[]).entries())
      if (block.type !== "text")
        walk.changes.push({ block, path: ["messages", at, "content", index] });
  return effortProblem(config?.["effort"], ["messages", at, "output_config", "effort"], model);
}

/** A turn of the other role begins. */
function startTurn(walk: Walk, role: "user" | "assistant"): Failure | undefined {
  if (walk.role === role) return undefined;
  if (role === "assistant") {
    if (walk.open.size > 0) return unanswered(walk);
    if (walk.answered.size > 0) walk.answered.clear();
    if (walk.spared.size > 0) walk.spared.clear();
    walk.isPaused = false;
    walk.hasSpoken = false;
  }
  walk.role = role;
  return undefined;
}

function unanswered({ open }: Walk): Failure | undefined {
  for (const [id, path] of open)
    return invalidField(
      path,
      "is a tool_use without its tool_result in the next user turn; answer the id",
      id,
    );
  return undefined;
}

function contentProblem(walk: Walk, turn: Turn, at: number, facts: Facts): Failure | undefined {
  const { content, role } = turn;
  if (role === "user") {
    const problem = emptyProblem(content, at);
    if (problem !== undefined) return problem;
  } else if (!walk.hasSpoken) walk.hasSpoken = !isEmptyTurn(turn, facts.mayBeOwnThought);
  if (typeof content === "string") return undefined;
  for (let index = 0; index < content.length; index++) {
    const block = content[index] as Block;
    // Most blocks are text, and nothing can be wrong with those.
    if (block.type === "text") continue;
    const problem = blockProblem(walk, block, ["messages", at, "content", index], facts.model);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** In the words of the hosted API, for which clients look; empty results of tools are none of these. */
function emptyProblem(content: Turn["content"], at: number): Failure | undefined {
  if (typeof content === "string") return isBlank(content) ? emptyText(at) : undefined;
  if (content.length === 0) return emptyText(at);
  for (let index = 0; index < content.length; index++) {
    const { type, text } = content[index] as Block;
    if (type === "text" && isBlank(text)) return emptyText(at, index);
  }
  return undefined;
}

const emptyText = (at: number, ...block: Path) =>
  invalid(
    `messages: text content blocks must be non-empty; ${["messages", at, "content", ...block].join(".")} is empty or blank.`,
  );

function blockProblem(walk: Walk, block: Block, path: Path, model: Model): Failure | undefined {
  if (walk.role === "user" && ofAssistant.has(block.type))
    return invalidField(
      [...path, "type"],
      "stands in a user turn; only the assistant's hold it",
      block.type,
    );
  switch (block.type) {
    case "tool_use":
      return callProblem(walk, String(block["id"]), path);
    case "tool_result":
      return (
        resultProblem(walk, block, path) ??
        sightProblem(block["content"], [...path, "content"], model)
      );
    case "fallback":
      for (const id of walk.open.keys()) walk.spared.add(id);
      walk.open.clear();
      return undefined;
    case "tool_addition":
    case "tool_removal":
      walk.changes.push({ block, path });
      return undefined;
    case "server_tool_use":
    case "mcp_tool_use":
      walk.isPaused = true;
      return undefined;
    case "container_upload":
      if (model.pass.includes("container")) return undefined;
      return invalidField(
        [...path, "type"],
        `is not taken by ${model.id}: it has no container`,
        block.type,
      );
    case "image":
    case "document":
      return sightOf(block, path, model);
    default:
      return undefined;
  }
}

function callProblem(walk: Walk, id: string, path: Path): Failure | undefined {
  if (walk.open.has(id)) return invalidField([...path, "id"], "must not be used twice", id);
  walk.open.set(id, path);
  return undefined;
}

function resultProblem(walk: Walk, block: Block, path: Path): Failure | undefined {
  const id = String(block["tool_use_id"]);
  if (walk.role !== "user")
    return invalidField(
      [...path, "type"],
      "stands in an assistant turn; the user's hold results",
      block.type,
    );
  if (walk.open.delete(id) || walk.spared.delete(id)) {
    walk.answered.add(id);
    return undefined;
  }
  const rule = walk.answered.has(id)
    ? "must not be answered twice"
    : "must be the id of a tool_use in the assistant turn before";
  return invalidField([...path, "tool_use_id"], rule, id);
}

function sightProblem(blocks: unknown, path: Path, model: Model): Failure | undefined {
  if (!Array.isArray(blocks) || (model.vision && model.documents)) return undefined;
  for (const [index, block] of (blocks as Block[]).entries()) {
    const problem = sightOf(block, [...path, index], model);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A document of plain text is text: every model reads it. A file is judged when it has been looked up. */
function sightOf(block: Block, path: Path, model: Model): Failure | undefined {
  const blind = (what: string) =>
    invalidField([...path, "type"], `is not taken by ${model.id}: it reads no ${what}`, block.type);
  if (block.type === "image") return model.vision ? undefined : blind("images");
  if (block.type !== "document") return undefined;
  const { type, content } = block["source"] as { type: string; content?: unknown };
  if (type === "content") return sightProblem(content, [...path, "source", "content"], model);
  if (type === "text" || type === "file") return undefined;
  return model.documents ? undefined : blind("PDF documents");
}

function prefillProblem(walk: Walk, body: MessageBody, facts: Facts): Failure | undefined {
  if (facts.continues === true || walk.isPaused || !walk.hasSpoken) return undefined;
  const path = ["messages", body.messages.findLastIndex(({ role }) => role === "assistant")];
  if (!facts.model.prefill)
    return invalidField(
      path,
      `must be a user turn: ${facts.model.id} does not continue an assistant turn`,
    );
  const type = body.thinking?.["type"] ?? "disabled";
  if (type === "disabled" || ignoresThinking(facts.model, type)) return undefined;
  return invalidField(
    path,
    "must be a user turn: a model that thinks does not continue an assistant turn",
  );
}

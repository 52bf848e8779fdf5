// The tools that an agent's model is offered, and who may let it use them.
import type { AgentConfig } from "../../agents/module.ts";
import { sandboxTools } from "../../sandboxes/module.ts";
import { webTools } from "../../web_tools/module.ts";
import type { ToolPagePlace } from "../conversation/events.ts";
import type { CallKind } from "../conversation/state.ts";

/** Who runs built-in tools: this server those of the web; those of a computer where the environment is a cloud one. */
export const toolsRunHere = (environmentType: "cloud" | "self_hosted"): ReadonlySet<string> =>
  environmentType === "cloud" ? all : ofTheWeb;

const ofTheWeb: ReadonlySet<string> = new Set(webTools);
const all: ReadonlySet<string> = new Set([...sandboxTools, ...webTools]);

export type Policy = "always_allow" | "always_ask" | "auto";

export interface OfferedTool {
  kind: CallKind;
  /** What its model calls it by. */
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  policy: Policy;
  /** Whose it is, and by what name, where it is one of an MCP server. */
  remote?: RemoteTool;
}

export interface RemoteTool {
  server: string;
  url: string;
  name: string;
  /** Made of the names of server and tool: the model may always call it so. */
  longName: string;
  /** On which it shows what it answers. An agent may have another server of that name by then. */
  page?: ToolPagePlace;
}

/** Those of the agent's computer, and those of its own. */
export function offeredTools({ tools }: AgentConfig): OfferedTool[] {
  return tools.flatMap((tool): OfferedTool[] => {
    if (tool.type === "custom") {
      const { name, description, input_schema } = tool;
      const inputSchema = input_schema as Record<string, unknown>;
      // The client that answers a custom tool is the one that decides whether to.
      return [{ kind: "custom", name, description, inputSchema, policy: "always_allow" }];
    }
    if (tool.type === "mcp_toolset") return [];
    return Object.entries(computerTools).flatMap(([name, { description, inputSchema }]) => {
      const behaviour = tool.configs.find((config) => config.name === name) ?? tool.default_config;
      if (!behaviour.enabled) return [];
      const policy = behaviour.permission_policy.type;
      return [{ kind: "built_in", name, description, inputSchema, policy }];
    });
  });
}

const text = (description: string) => ({ type: "string", description });
const object = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: "object",
  properties,
  required,
});

/** As workers of self-hosted environments take them: the names of the fields are the client library's. */
const computerTools: Record<string, Pick<OfferedTool, "description" | "inputSchema">> = {
  bash: {
    description: "Runs a command in a shell that keeps its directory and variables between calls.",
    inputSchema: object(
      {
        command: text("What to run."),
        restart: { type: "boolean", description: "Starts a new shell first." },
        timeout_ms: { type: "integer", description: "When to give up, in milliseconds." },
      },
      [],
    ),
  },
  read: {
    description: "Reads a text file.",
    inputSchema: object(
      {
        file_path: text("The file."),
        view_range: {
          type: "array",
          items: { type: "integer" },
          description: "The first and the last line, counted from 1.",
        },
      },
      ["file_path"],
    ),
  },
  write: {
    description: "Writes a text file; directories that are missing are made.",
    inputSchema: object({ file_path: text("The file."), content: text("All of its text.") }, [
      "file_path",
      "content",
    ]),
  },
  edit: {
    description:
      "Replaces a piece of a text file. It must occur once, unless all are to be replaced.",
    inputSchema: object(
      {
        file_path: text("The file."),
        old_string: text("What is there."),
        new_string: text("What is to be there."),
        replace_all: { type: "boolean", description: "Replaces every occurrence." },
      },
      ["file_path", "old_string", "new_string"],
    ),
  },
  glob: {
    description: "Finds files by a pattern, those that changed last first.",
    inputSchema: object({ pattern: text("Such as src/**/*.ts."), path: text("Where to look.") }, [
      "pattern",
    ]),
  },
  grep: {
    description: "Finds lines of files by a regular expression.",
    inputSchema: object({ pattern: text("The expression."), path: text("Where to look.") }, [
      "pattern",
    ]),
  },
};

/** By either of its names. */
export const toolCalled = <Tool extends OfferedTool>(
  tools: readonly Tool[],
  called: unknown,
): Tool | undefined =>
  tools.find(({ name }) => name === called) ??
  tools.find(({ remote }) => remote?.longName === called);

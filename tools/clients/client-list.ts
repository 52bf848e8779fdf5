// The clients that are tried, each at one exact version, and the program that tries it.

export interface Client {
  /** Chosen by this word, and the name of its recording. */
  id: string;
  /** As the table in docs/COMPATIBILITY.md calls it. */
  title: string;
  /** What npm installs for it; the first one is the client. */
  packages: Readonly<Record<string, string>>;
  /** In `programs/`. */
  program: string;
  /** Packages whose install script must run. */
  scripts?: readonly string[];
  /**
   * Where the machine cannot close the network around a program, what keeps it from asking for its updates or
   * telling its maker what it does. Where it can, nothing but address and key is set.
   */
  quiet?: Readonly<Record<string, string>>;
  /** Plinth stands in front of what this program of `programs/` starts, and is asked over this wire. */
  upstream?: { program: string; wire: "messages" | "chat" };
  /** Where several share what is installed. */
  folder?: string;
  /** What it sends is not kept: an MCP client's requests follow from the server's answers. */
  isUnrecorded?: boolean;
}

export const isRecorded = ({ upstream, isUnrecorded = false }: Client): boolean =>
  upstream === undefined && !isUnrecorded;

const zod = "4.6.7";

const agentCli = {
  packages: { "@anthropic-ai/claude-code": "2.1.197" },
  scripts: ["@anthropic-ai/claude-code"],
  quiet: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
};

const behind = (name: string, version: string, program: string) =>
  (["messages", "chat"] as const).map((wire) => ({
    id: `${name.split("/").at(-1)}-${wire}`,
    title: `Through Plinth, by \`PLINTH_UPSTREAM\`, to a model server over ${wire === "chat" ? "chat completions" : "messages"}`,
    packages: { [name]: version, ...agentCli.packages, "@anthropic-ai/sdk": "1.11.0" },
    program,
    scripts: agentCli.scripts,
    quiet: agentCli.quiet,
    upstream: { program: `${name.split("/").at(-1)}.mjs`, wire },
    folder: name.split("/").at(-1) ?? name,
  }));

const libraries = ["0.39.0", "0.60.0", "0.137.0", "1.11.0"];

/** Clients of `/mcp`, and servers behind `plinth mcp bridge`. */
const mcpClients: readonly Client[] = [
  {
    id: "mcp-agent-cli",
    title: "Agent CLI at `/mcp`",
    program: "mcp-agent-cli.mjs",
    folder: "agent-cli",
    ...agentCli,
  },
  {
    id: "mcp-inspector",
    title: "MCP Inspector, its command line, at `/mcp`",
    packages: { "@modelcontextprotocol/inspector": "2.12.0" },
    program: "mcp-inspector.mjs",
  },
  {
    id: "mcp-remote",
    title: "mcp-remote, for clients of standard streams, at `/mcp`",
    packages: { "mcp-remote": "0.15.1", "@modelcontextprotocol/sdk": "1.32.2" },
    program: "mcp-remote.mjs",
  },
  {
    id: "mcp-langchain",
    title: "LangChain's MCP adapters at `/mcp`",
    packages: {
      "@langchain/mcp-adapters": "1.1.4",
      "@langchain/anthropic": "1.5.11",
      "@langchain/core": "1.4.0",
      "@langchain/langgraph": "1.7.3",
    },
    program: "mcp-langchain.mjs",
  },
  {
    id: "mcp-ai",
    title: "Vercel's MCP client at `/mcp`",
    packages: { "@ai-sdk/mcp": "2.0.99", ai: "7.0.173", "@ai-sdk/anthropic": "4.0.105", zod },
    program: "mcp-ai.mjs",
  },
  {
    id: "mcp-mastra",
    title: "Mastra's MCP client at `/mcp`",
    packages: { "@mastra/mcp": "2.0.0", "@mastra/core": "1.71.0", zod },
    program: "mcp-mastra.mjs",
    quiet: { MASTRA_TELEMETRY_DISABLED: "1" },
  },
  {
    id: "mcp-bridge",
    title: "Behind `plinth mcp bridge`",
    packages: {
      "@modelcontextprotocol/server-everything": "2026.8.31",
      "@modelcontextprotocol/server-filesystem": "2026.8.31",
      "@modelcontextprotocol/server-memory": "2026.8.31",
      "@modelcontextprotocol/client": "2.4.0",
    },
    program: "mcp-bridge.mjs",
  },
].map((client) => ({ ...client, isUnrecorded: true }));

export const clients: readonly Client[] = [
  { id: "agent-cli", title: "Agent CLI", program: "agent-cli.mjs", ...agentCli },
  {
    id: "agent-sdk",
    title: "Agent SDK",
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.330", zod },
    program: "agent-sdk.mjs",
    quiet: agentCli.quiet,
  },
  ...libraries.map((version) => ({
    id: `client-library-${version}`,
    title: "Client library",
    packages: { "@anthropic-ai/sdk": version },
    program: "client-library.mjs",
  })),
  {
    id: "opencode",
    title: "opencode",
    packages: { "opencode-ai": "1.18.33" },
    program: "opencode.mjs",
    scripts: ["opencode-ai"],
    quiet: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
  {
    id: "langchain",
    title: "LangChain and LangGraph",
    packages: {
      "@langchain/anthropic": "1.5.11",
      "@langchain/core": "1.4.0",
      "@langchain/langgraph": "1.7.3",
      zod,
    },
    program: "langchain.mjs",
  },
  {
    id: "ai",
    title: "Vercel `ai`",
    packages: { ai: "7.0.173", "@ai-sdk/anthropic": "4.0.105", zod },
    program: "ai.mjs",
  },
  {
    id: "promptfoo",
    title: "promptfoo",
    packages: { promptfoo: "0.121.20" },
    program: "promptfoo.mjs",
    quiet: { PROMPTFOO_DISABLE_TELEMETRY: "1", PROMPTFOO_DISABLE_UPDATE: "1" },
  },
  {
    id: "mastra",
    title: "Mastra",
    packages: { "@mastra/core": "1.71.0", zod },
    program: "mastra.mjs",
    quiet: { MASTRA_TELEMETRY_DISABLED: "1" },
  },
  {
    id: "llamaindex",
    title: "LlamaIndex",
    packages: {
      "@llamaindex/anthropic": "0.3.26",
      "@llamaindex/workflow": "1.1.24",
      llamaindex: "0.12.1",
      zod,
    },
    program: "llamaindex.mjs",
  },
  {
    id: "instructor",
    title: "instructor",
    packages: {
      "@instructor-ai/instructor": "1.7.0",
      "@anthropic-ai/sdk": "0.33.1",
      "llm-polyglot": "3.0.0",
      openai: "6.49.0",
      zod: "3.25.76",
    },
    program: "instructor.mjs",
  },
  ...behind("@copilotkit/aimock", "1.43.0", "chain.mjs"),
  ...behind("@dwmkerr/mock-llm", "0.1.29", "chain-fixed.mjs"),
  ...mcpClients,
];

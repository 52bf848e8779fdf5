// An MCP server of 2025-11-25, as most are: made with the older kit. Run as a program, it speaks over standard streams.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolResultSchema,
  McpError,
  SetLevelRequestSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";

export interface Seen {
  cancelled: number;
}

const text = (said: unknown) =>
  CallToolResultSchema.parse({ content: [{ type: "text", text: String(said) }] });

const form = (message: string) => ({
  message,
  requestedSchema: {
    type: "object" as const,
    properties: { name: { type: "string" as const } },
    required: ["name"],
  },
});

let servers = 0;

export function oldServer(seen: Seen = { cancelled: 0 }): McpServer {
  const server = new McpServer(
    { name: "old", version: "1.0.0" },
    { capabilities: { logging: {} }, instructions: "Ask by name." },
  );
  const session = `${process.pid}.${(servers += 1)}`;
  server.registerTool("session", {}, () => text(session));
  server.registerTool("pid", {}, () => text(process.pid));
  server.registerTool("environment", {}, () => text(Object.keys(process.env).toSorted()));
  server.registerTool("die", {}, () => {
    process.kill(process.pid, "SIGKILL");
    return text("");
  });
  server.registerTool("trace", {}, ({ _meta }) => text(_meta?.["traceparent"]));
  server.registerTool("cancelled", {}, () => text(seen.cancelled));
  askingTools(server);
  server.registerTool("wait", {}, async ({ signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      await sendNotification({
        method: "notifications/progress",
        params: { progressToken, progress: 1, message: "waiting" },
      });
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    seen.cancelled += 1;
    return text("");
  });
  let level = "none";
  server.server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = params.level;
    return {};
  });
  server.registerTool("level", {}, () => text(level));
  server.registerTool("log", {}, async (extra) => {
    await server.sendLoggingMessage({ level: "info", data: "a line" }, extra.sessionId);
    return text("logged");
  });
  server.registerTool("open", {}, () => {
    throw new UrlElicitationRequiredError([
      { mode: "url", url: "https://pay.test/1", message: "Pay first.", elicitationId: "pay" },
    ]);
  });
  server.registerPrompt("hello", {}, () => ({
    messages: [{ role: "user", content: { type: "text", text: "Hello" } }],
  }));
  server.registerResource("note", "test://note", {}, () => ({
    contents: [{ uri: "test://note", text: "A note" }],
  }));
  server.registerResource("gone", "test://gone", {}, () => {
    throw new McpError(-32002, "gone");
  });
  return server;
}

function askingTools(server: McpServer): void {
  const ask = async (message: string) => {
    const { action, content } = await server.server.elicitInput(form(message));
    return String(action === "accept" ? content?.["name"] : action);
  };
  server.registerTool("ask", {}, async () => text(`Hello ${await ask("Who?")}`));
  server.registerTool("ask_twice", {}, async () => {
    const first = await ask("First?");
    return text(`${first} and ${await ask("Second?")}`);
  });
  server.registerTool("ask_all", {}, async () => {
    // In one write: on a busy machine three would come one after another.
    process.stdout.cork();
    setImmediate(() => process.stdout.uncork());
    const [name, sampled, { roots }] = await Promise.all([
      ask("Who?"),
      server.server.createMessage({
        messages: [{ role: "user", content: { type: "text", text: "Say something." } }],
        maxTokens: 10,
      }),
      server.server.listRoots({ _meta: { trace: "kept" } }, { onprogress: () => {} }),
    ]);
    const said = sampled.content.type === "text" ? sampled.content.text : "";
    return text(`${name}, ${said}, ${roots[0]?.uri}`);
  });
}

if (import.meta.main) await oldServer().connect(new StdioServerTransport());

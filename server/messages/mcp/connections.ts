// Connections to the servers of one request: opened when first needed, closed with it; one thing at a time over each.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import {
  connectServer,
  effectWords,
  McpFault,
  mcpSettingsOf,
  type McpConnection,
  type ServerTool,
} from "../../mcp_client/module.ts";
import type { Block } from "../../models/module.ts";
import type { NamedServer } from "./servers.ts";

/** As an `mcp_tool_result` has it. */
export interface CallResult {
  content: Block[];
  is_error: boolean;
}

export class Connections implements AsyncDisposable {
  readonly #actor: Actor;
  readonly #open = new Map<NamedServer, McpConnection>();
  /** What is asked of a server waits for what was asked before. */
  readonly #last = new Map<NamedServer, Promise<unknown>>();

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** Throws the Failure that names the server. */
  async list(server: NamedServer): Promise<readonly ServerTool[]> {
    if (server.listed !== undefined) return server.listed;
    try {
      const connection = await this.#connection(server);
      return (await connection.list(server.isEnabled, this.#waiting())).tools;
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      const field = error.kind === "authentication" ? "authorization_token" : "url";
      throw new Failure(
        "invalid_request_error",
        `mcp_servers.${server.index}.${field}: ${wordsOf(server, error)}`,
        { cause: error },
      );
    }
  }

  call(server: NamedServer, tool: ServerTool, input: Block["input"]): Promise<CallResult> {
    const before = this.#last.get(server) ?? Promise.resolve();
    const called = before.then(() => this.#traced(server, tool, fieldsOf(input)));
    this.#last.set(
      server,
      called.catch(() => {}),
    );
    return called;
  }

  async #traced(
    server: NamedServer,
    tool: ServerTool,
    input: Record<string, unknown>,
  ): Promise<CallResult> {
    const { instruments, requestId } = this.#actor;
    const span = instruments.tracer?.begin({
      name: `tools/call ${tool.name}`,
      kind: "client",
      under: requestId,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
      },
    });
    let error: string | undefined = "unknown";
    try {
      const result = await this.#call(server, tool, input);
      error = result.is_error ? "tool_error" : undefined;
      return result;
    } finally {
      span?.end({ error });
    }
  }

  async #call(
    server: NamedServer,
    tool: ServerTool,
    input: Record<string, unknown>,
    isAgain = false,
  ): Promise<CallResult> {
    const { signal } = this.#actor;
    try {
      const connection = await this.#connection(server);
      const { content, isError } = await connection.call(tool, input, signal);
      return { content: content.map(shown), is_error: isError };
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      // What came of it may still come: nothing else is asked over the same connection.
      if (error.kind !== "answer") await this.#drop(server);
      if (error.kind === "session_gone" && !isAgain) return this.#call(server, tool, input, true);
      const said = error.said === undefined ? [] : [text(error.said)];
      const effect = error.kind === "answer" ? [] : [effectWords(error.mayHaveRun)];
      const words = [wordsOf(server, error), ...effect].join(" ");
      return { content: [text(words), ...said], is_error: true };
    }
  }

  async #connection(server: NamedServer): Promise<McpConnection> {
    const open = this.#open.get(server);
    if (open !== undefined) return open;
    const { url, authorization } = server;
    const address = { url, authorization, refusalOf: () => undefined };
    const connection = await connectServer(this.#actor, address, this.#waiting());
    this.#open.set(server, connection);
    return connection;
  }

  #waiting() {
    const { clock, signal } = this.#actor;
    return { signal, untilMs: clock.monotonicMs() + mcpSettingsOf(this.#actor).connectMs };
  }

  async #drop(server: NamedServer): Promise<void> {
    const open = this.#open.get(server);
    this.#open.delete(server);
    await open?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open.keys()].map((server) => this.#drop(server)));
  }
}

const text = (words: string): Block => ({ type: "text", text: words });

/** The contract has nothing but texts in these results. */
const shown = (block: Block): Block =>
  block.type === "text"
    ? block
    : text("[A picture, which the result of a server's tool cannot hold in this request]");

const fieldsOf = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : {};

const wordsOf = ({ name }: NamedServer, fault: McpFault) =>
  `The MCP server ${JSON.stringify(name)} ${fault.message}`;

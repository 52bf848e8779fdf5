// A server of the official package that gives tasks in place of results, in the steps that a test says.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";

type Fields = Record<string, unknown>;

/** What the server says of a task at each look, by how often it has been answered. */
export interface TestTask {
  news: (at: { looks: number; answers: readonly Fields[]; isCancelled: boolean }) => Fields;
  /** Beside the id. */
  made?: Fields;
  /** Of the tool. */
  meta?: Fields;
  refusesAnswers?: boolean;
}

export interface TaskServer extends AsyncDisposable {
  url: string;
  /** The calls of tools, and what was asked of tasks: `tasks/get task_1`. */
  asked: string[];
  answers: Fields[];
  /** The envelopes of the calls. */
  metas: Fields[];
  /** Called with each request before it is answered. */
  onAsked: (line: string) => void | Promise<void>;
  isDown: boolean;
}

const params = fromJsonSchema<{ taskId: string }>({
  type: "object",
  properties: { taskId: { type: "string" } },
  required: ["taskId"],
});

interface KeptTask {
  tool: TestTask;
  looks: number;
  answers: Fields[];
  isCancelled: boolean;
}

export async function openTaskServer(
  tools: Record<string, TestTask>,
  { asStream = false }: { asStream?: boolean } = {},
): Promise<TaskServer> {
  const tasks = new Map<string, KeptTask>();
  const found = (id: string): KeptTask => {
    const task = tasks.get(id);
    if (task === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Task not found");
    return task;
  };
  const extension = { "io.modelcontextprotocol/tasks": {} };
  const make = () => {
    const mcp = new McpServer({ name: "tasks", version: "1" });
    const { server } = mcp;
    server.registerCapabilities({ extensions: extension });
    for (const [name, tool] of Object.entries(tools))
      mcp.registerTool(
        name,
        {
          description: name,
          inputSchema: fromJsonSchema<Fields>({ type: "object" }),
          ...(tool.meta && { _meta: tool.meta }),
        },
        (_input, { mcpReq }) => {
          self.metas.push({ ...mcpReq._meta });
          const taskId = `task_${tasks.size + 1}`;
          tasks.set(taskId, { tool, looks: 0, answers: [], isCancelled: false });
          const now = new Date().toISOString();
          const times = { createdAt: now, lastUpdatedAt: now, ttlMs: 60_000, pollIntervalMs: 10 };
          const made = { resultType: "task", taskId, status: "working", ...times, ...tool.made };
          return made as never;
        },
      );
    server.setRequestHandler("tasks/get", { params }, ({ taskId }) => {
      const task = found(taskId);
      task.looks++;
      return { taskId, ttlMs: 60_000, pollIntervalMs: 10, ...task.tool.news(task) };
    });
    server.setRequestHandler("tasks/update", { params }, ({ taskId }, { mcpReq }) => {
      // Its package takes them out of what was asked.
      const answers = { ...mcpReq.inputResponses };
      const task = found(taskId);
      if (task.tool.refusesAnswers === true)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such question");
      task.answers.push(answers);
      self.answers.push(answers);
      return {};
    });
    server.setRequestHandler("tasks/cancel", { params }, ({ taskId }) => {
      found(taskId).isCancelled = true;
      return {};
    });
    return mcp;
  };
  const handler = createMcpHandler(make, {
    legacy: "reject",
    responseMode: asStream ? "sse" : "auto",
  });
  const listener = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces).toString();
      const { method = "", params: given } = JSON.parse(body) as {
        method?: string;
        params?: { taskId?: string };
      };
      const line = [method, given?.taskId ?? []].flat().join(" ");
      self.asked.push(line);
      await self.onAsked(line);
      if (self.isDown) {
        response.destroy();
        return;
      }
      const answer = await handler.fetch(
        new Request(self.url, {
          method: "POST",
          headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
          body,
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body !== null) for await (const piece of answer.body) response.write(piece);
      response.end();
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  const self: TaskServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    asked: [],
    answers: [],
    metas: [],
    onAsked: () => {},
    isDown: false,
    [Symbol.asyncDispose]: async () => {
      await handler.close();
      listener.closeAllConnections();
      await new Promise<void>((resolve) => void listener.close(() => resolve()));
    },
  };
  return self;
}

export const done = (text: string) => ({
  status: "completed",
  result: { content: [{ type: "text", text }] },
});
export const working = { status: "working" };
export const asks = (key: string) => ({
  status: "input_required",
  inputRequests: {
    [key]: {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: `${key}?`,
        requestedSchema: { type: "object", properties: { word: { type: "string" } } },
      },
    },
  },
});
export const timesAsked = ({ asked }: TaskServer, start: string): number =>
  asked.filter((line) => line.startsWith(start)).length;

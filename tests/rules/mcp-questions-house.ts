// What the tests of questions of MCP servers share: servers that ask, and sessions whose calls wait for an answer.
import assert from "node:assert/strict";
import { inputRequired, type InputRequests } from "@modelcontextprotocol/server";
import { call, withServers, type McpHouse } from "./mcp-house.ts";
import { words, type TestServer, type TestTool, type Tools } from "./mcp-server.ts";
import { customResult, ofType, said, typesOf, type SessionEvent } from "./sessions-house.ts";

export const person = {
  type: "object" as const,
  properties: {
    name: { type: "string" as const, title: "Name", minLength: 2 },
    email: { type: "string" as const, format: "email" as const },
    age: { type: "integer" as const, minimum: 18, maximum: 120 },
    size: { type: "string" as const, enum: ["S", "M"] },
    news: { type: "boolean" as const, default: true },
  },
  required: ["name"],
};
export const secretState = "state that the server alone can read";

/** Books a table: for whom is asked first, by a form. */
export const booking: Tools = {
  book: {
    call: ({ text: what }, _signal, { answers, state }) => {
      const who = answers["who"] as { action: string; content?: { name: string } } | undefined;
      if (who === undefined)
        return inputRequired({
          inputRequests: {
            who: inputRequired.elicit({ message: "For whom?", requestedSchema: person }),
          },
          requestState: secretState,
        });
      return words(
        `${String(what)}: ${who.action} ${who.content?.name ?? "-"}, ${state ?? "no state"}`,
      );
    },
  },
};

export const answered = (id: string, answers: unknown) => customResult(id, JSON.stringify(answers));
export const accepted = (content?: object) => ({ action: "accept", ...(content && { content }) });
export const callsOf = ({ asked }: TestServer) =>
  asked.filter(({ method }) => method === "tools/call").length;
export const questionIn = (events: readonly SessionEvent[]): SessionEvent => {
  const question = ofType(events, "agent.custom_tool_use").at(-1);
  assert.ok(question !== undefined, typesOf(events).join());
  return question;
};
export const stopOf = (events: readonly SessionEvent[]) =>
  events.at(-1)?.["stop_reason"] as unknown;

/** A session whose call waits for an answer. */
export async function asking(it: McpHouse, server: TestServer, tool = "book") {
  const id = await it.with({ url: server.url });
  const events = await it.turn(id, call(`mcp__docs__${tool}`, { text: "table" }));
  return { id, events, question: questionIn(events) };
}

/** A member of a team, whose call waits in its own thread. */
export async function askingInTeam(it: McpHouse, server: TestServer) {
  const member = await it.agent({ name: "Reader", ...withServers({ url: server.url }) });
  const boss = await it.make({
    name: "Boss",
    multiagent: { type: "coordinator", agents: [member.id] },
  });
  const message = '\\u005b\\u005btool mcp__docs__book {\\"text\\": \\"four\\"}\\u005d\\u005d';
  const events = await it.turn(
    boss.id,
    said(`[[tool send_to_agent {"agent":"Reader","message":"${message}"}]]`),
  );
  const question = questionIn(events);
  return { boss, events, question };
}

/** Asks all of this first, and tells what was answered. */
export const asksFirst = (
  inputRequests: InputRequests,
  told: (answers: Record<string, unknown>) => unknown = (answers) => answers,
): TestTool => ({
  call: (_input, _signal, { answers }) =>
    Object.keys(answers).length > 0
      ? words(JSON.stringify(told(answers)))
      : inputRequired({ inputRequests }),
});

/** Asks for one word after the other, and keeps them in its state. */
export const asksAgain = (times: number): Tools => ({
  tell: {
    call: (_input, _signal, { answers, state = "" }) => {
      const word = answers["word"] as { content: { word: string } } | undefined;
      const all = [...state.split("+"), word?.content.word ?? ""].filter((each) => each !== "");
      if (all.length >= times) return words(all.join(" "));
      return inputRequired({
        inputRequests: {
          word: inputRequired.elicit({
            message: `Word ${all.length + 1}?`,
            requestedSchema: { type: "object", properties: { word: { type: "string" } } },
          }),
        },
        requestState: all.join("+"),
      });
    },
  },
});

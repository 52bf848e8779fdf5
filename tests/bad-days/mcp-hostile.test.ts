// Rule MCP40: MCP servers that answer with anything but what they were asked. Whatever it is, the turn goes on and
// ends with an answer of the model.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, test } from "node:test";
import {
  errorsOf,
  call,
  namesIn,
  openMcpHouse,
  resultsOf,
  withServers,
  type McpHouse,
} from "../rules/mcp-house.ts";
import { openMcpServer, words, type TestServer, type Tools } from "../rules/mcp-server.ts";
import { watchSlowness } from "../slowness.ts";
import { ofType, said, wordsOf, type SessionEvent } from "../rules/sessions-house.ts";

const seconds = 3;
const slowness = watchSlowness();
let it: McpHouse;
before(async () => {
  it = await openMcpHouse({ mcp: { connect_seconds: seconds, call_seconds: seconds } });
});
after(async () => {
  slowness[Symbol.dispose]();
  await it[Symbol.asyncDispose]();
});

const echo: Tools = { echo: { call: ({ text }) => words(`heard ${String(text)}`) } };
const revisions = ["modern", "legacy"] as const;
type Revision = (typeof revisions)[number];

/** Answers one method in place of the server. */
const instead =
  (wanted: string, answer: (response: ServerResponse, id: number) => void): TestServer["before"] =>
  (_request, response, body) => {
    if (!body.includes(`"method":"${wanted}"`)) return false;
    answer(response, (JSON.parse(body) as { id: number }).id);
    return true;
  };

const json = (response: ServerResponse, body: string) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(body);
};
const message = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields });
const stream = (response: ServerResponse, ...data: readonly string[]) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(data.map((each) => `data: ${each}\n\n`).join(""));
};
const whole = (revision: Revision, fields: object) =>
  revision === "modern"
    ? { resultType: "complete", ttlMs: 0, cacheScope: "private", ...fields }
    : fields;

/** The model has had the last word, in time, and no error has kept the session. */
function expectEnd(events: readonly SessionEvent[]): void {
  assert.deepEqual(events.at(-1)?.["stop_reason"], { type: "end_turn" });
  assert.ok(wordsOf(events).length > 0);
  for (const { type } of errorsOf(events)) assert.equal(type, "mcp_connection_failed_error");
}

async function turnInTime(id: string, said_: Parameters<McpHouse["turn"]>[1]) {
  const startedMs = performance.now();
  const events = await it.turn(id, said_);
  const tookMs = performance.now() - startedMs;
  assert.ok(tookMs < (seconds * 1_000 + 5_000) * slowness.factor(), `it took ${tookMs} ms`);
  expectEnd(events);
  return events;
}

const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

type Wild = (response: ServerResponse, id: number, good: string) => void;

/** What is no answer to a call; some of them lead to one all the same. */
const wild: Record<string, Wild> = {
  "a result that is null": (response, id) => json(response, message({ id, result: null })),
  "a result that is a list": (response, id) => json(response, message({ id, result: [] })),
  "a result that is a text": (response, id) => json(response, message({ id, result: "x" })),
  "content that is a text": (response, id) =>
    json(response, message({ id, result: { resultType: "complete", content: "x" } })),
  "content that is null": (response, id) =>
    json(response, message({ id, result: { resultType: "complete", content: null } })),
  "an error that is a text": (response, id) => json(response, message({ id, error: "x" })),
  "a result and an error": (response, id) =>
    json(response, message({ id, result: words("a"), error: { code: 1, message: "b" } })),
  "a type of result that the protocol does not have": (response, id) =>
    json(response, message({ id, result: { resultType: "hologram", content: [] } })),
  "no JSON": (response) => json(response, "{"),
  "nothing at all": (response) => json(response, ""),
  "a list of messages": (response, id) =>
    json(response, `[${message({ id: 999, result: words("x") })},${message({ id, result: 1 })}]`),
  "lists in lists": (response) => json(response, deep(1_000_000)),
  "a header without an end": (response) => {
    response.writeHead(200, { "content-type": "application/json", "x-long": "x".repeat(100_000) });
    response.end("{}");
  },
  "JSON that is called text": (response, _id, good) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(good);
  },
  "an answer of no type": (response, _id, good) => response.writeHead(200).end(good),
  "JSON that is called a stream": (response, _id, good) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(good);
  },
  "a stream that is called JSON": (response, _id, good) => json(response, `data: ${good}\n\n`),
  "a page": (response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<html>");
  },
  "a redirect to another address of the machine": (response) =>
    response.writeHead(307, { location: "http://127.0.0.2:1/mcp" }).end(),
  "a redirect to metadata of a cloud": (response) =>
    response.writeHead(307, { location: "http://169.254.169.254/latest/" }).end(),
  "a redirect to itself": (response) => response.writeHead(307, { location: "/mcp" }).end(),
  "a status that is none": (response) => response.writeHead(999).end("{}"),
  "bytes that are no text": (response) => json(response, "\u0000\ufffe{"),
  "a stream of other things": (response) =>
    stream(response, "{", "null", "[]", '"x"', message({ id: "x" }), message({})),
};

for (const revision of revisions)
  test(`[MCP40] whatever a call is answered, the turn ends, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    for (const [what, answer] of Object.entries(wild)) {
      const id = await it.with({ url: server.url });
      await it.turn(id, said("Go."));
      server.before = instead("tools/call", (response, asked) =>
        answer(response, asked, message({ id: asked, result: whole(revision, words("good")) })),
      );
      const events = await turnInTime(id, call("echo", { text: "a" }));
      assert.match(resultsOf(events)[0] ?? "", /^(error: |$)/, what);
      assert.ok((resultsOf(events)[0] ?? "").length < 1_000, what);
      server.before = () => false;
      const next = await turnInTime(id, call("echo", { text: "b" }));
      assert.deepEqual(resultsOf(next), ["heard b"], what);
    }
  });

for (const revision of revisions)
  test(`[MCP40] whatever a list is, the turn ends, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    const lists: Record<string, Wild> = {
      ...wild,
      "tools that are a text": (response, id) =>
        json(response, message({ id, result: whole(revision, { tools: "x" }) })),
      "tools that are an object": (response, id) =>
        json(response, message({ id, result: whole(revision, { tools: { echo: {} } }) })),
      "a cursor that is a number": (response, id) =>
        json(response, message({ id, result: whole(revision, { tools: [], nextCursor: 7 }) })),
      "a cursor that is empty": (response, id) =>
        json(response, message({ id, result: whole(revision, { tools: [], nextCursor: "" }) })),
      "a ttl that is none": (response, id) =>
        json(response, message({ id, result: { ...whole(revision, { tools: [] }), ttlMs: "x" } })),
    };
    for (const [what, answer] of Object.entries(lists)) {
      server.before = instead("tools/list", (response, asked) =>
        answer(response, asked, message({ id: asked, result: whole(revision, { tools: [] }) })),
      );
      const id = await it.with({ url: server.url });
      await turnInTime(id, said("Go.")).catch((error: Error) =>
        assert.fail(`${what}: ${error.message}`),
      );
      server.before = () => false;
      await it.update(id, {
        agent: withServers({ url: server.url, configs: [{ name: "none", enabled: false }] }),
      });
      assert.deepEqual(
        resultsOf(await turnInTime(id, call("echo", { text: "b" }))),
        ["heard b"],
        what,
      );
    }
  });

for (const revision of revisions)
  test(`[MCP40] what was not asked for is passed by, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    const id = await it.with({ url: server.url });
    await it.turn(id, said("Go."));
    server.before = instead("tools/call", (response, asked) =>
      stream(
        response,
        ...[999, -1, "x", null, asked + 1].map((other) =>
          message({ id: other, result: whole(revision, words("of another")) }),
        ),
        message({ id: 998, error: { code: 1, message: "of another" } }),
        message({ id: "q", method: "tools/delete_everything", params: {} }),
        message({ id: "r", method: "elicitation/create", params: "x" }),
        message({ method: "notifications/cancelled", params: { requestId: asked } }),
        message({
          method: "notifications/progress",
          params: { progressToken: asked, progress: "x" },
        }),
        message({ method: "notifications/nothing" }),
        message({ id: asked, result: whole(revision, words("mine")) }),
        message({ id: asked, result: whole(revision, words("again")) }),
      ),
    );
    const events = await turnInTime(id, call("echo"));
    assert.deepEqual([resultsOf(events), errorsOf(events)], [["mine"], []]);
    assert.doesNotMatch(JSON.stringify(events), /of another|again/);
  });

for (const revision of revisions)
  test(`[MCP40] streams without an end, and those that drip, are given up in time, with a server of the ${revision} revision`, async () => {
    await using server = await openMcpServer(echo, revision);
    const note = `data: ${message({ method: "notifications/message", params: { level: "info", data: "x".repeat(600_000) } })}\n\n`;
    const endless =
      (write: (response: ServerResponse) => boolean, everyMs: number) =>
      (response: ServerResponse) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const timer = setInterval(() => write(response), everyMs);
        response.on("close", () => clearInterval(timer));
      };
    const kinds: [RegExp, (response: ServerResponse) => void][] = [
      [/more than 4194304 bytes/, endless((response) => response.write(note), 5)],
      [/did not answer (whole )?within 3 seconds/, endless((response) => response.write(":"), 100)],
      [
        /did not answer (whole )?within 3 seconds/,
        endless((response) => response.write("data: {}\n\n"), 100),
      ],
    ];
    for (const method of ["tools/list", "tools/call"])
      for (const [reason, answer] of kinds) {
        const id = await it.with({ url: server.url });
        if (method === "tools/call") await it.turn(id, said("Go."));
        server.before = instead(method, answer);
        const events = await turnInTime(id, call("echo"));
        assert.match(String(errorsOf(events)[0]?.["message"]), reason);
        server.before = () => false;
      }
  });

for (const revision of revisions)
  test(`[MCP40] schemas that point elsewhere are never fetched, nor is what lies about them held against them, with a server of the ${revision} revision`, async () => {
    await using trap = await openMcpServer({});
    await using server = await openMcpServer(echo, revision);
    const there = new URL("/schema.json", trap.url).href;
    const inputSchema = {
      $schema: there,
      $id: there,
      type: "object",
      properties: { a: { $ref: there }, b: { $dynamicRef: `${there}#x` } },
      allOf: [{ $ref: `${there}#/definitions/a` }],
    };
    const tools = [
      { name: "echo", inputSchema, outputSchema: { ...inputSchema, required: ["n"] } },
      { name: "__proto__", inputSchema: { type: "object" } },
      { name: "constructor", inputSchema: { type: "object" } },
      { name: "toString", inputSchema: { type: "object" } },
      {
        name: "bad",
        inputSchema: JSON.parse(
          '{"type":"object","__proto__":{"a":1},"properties":{"__proto__":{"type":"string"}}}',
        ) as object,
      },
    ];
    server.before = instead("tools/list", (response, id) =>
      json(response, message({ id, result: whole(revision, { tools }) })),
    );
    const seen = await it.look(await it.looking({ url: server.url }));
    assert.deepEqual(
      namesIn(seen).filter((name) => name !== "bad"),
      ["echo", "mcp__docs____proto__", "constructor", "toString"],
    );
    assert.doesNotMatch(JSON.stringify(seen.tools), /"__proto__"/);
    const id = await it.with({ url: server.url });
    await it.turn(id, said("Go."));
    server.before = instead("tools/call", (response, asked) =>
      json(
        response,
        message({
          id: asked,
          result: whole(revision, { content: [], structuredContent: { n: "no number" } }),
        }),
      ),
    );
    assert.deepEqual(resultsOf(await turnInTime(id, call("echo"))), ['{"n":"no number"}']);
    assert.deepEqual(trap.asked, []);
  });

test("[MCP40] data that is deep is cut as JSON, and an input that no request could hold ends no session", async () => {
  await using server = await openMcpServer(echo);
  const id = await it.with({ url: server.url });
  await it.turn(id, said("Go."));
  const nested = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`;
  server.before = instead("tools/call", (response, asked) =>
    json(
      response,
      `{"jsonrpc":"2.0","id":${asked},"result":{"resultType":"complete","content":[],"structuredContent":${nested}}}`,
    ),
  );
  const [cut = ""] = resultsOf(await turnInTime(id, call("echo")));
  assert.match(cut, /^\{"a":\{"a":.*characters are left out here/s);
  assert.ok(cut.length < 100_100);
  server.before = () => false;
  await turnInTime(id, said('[[tool echo {"text":"a","__proto__":{"b":1}}]]'));
  assert.deepEqual(resultsOf(await turnInTime(id, call("echo", { text: "b" }))), ["heard b"]);
});

test("[MCP40] a list that is another each time is as it was when the turn began, and no call of what is gone is made", async () => {
  await using server = await openMcpServer(echo);
  let times = 0;
  server.before = instead("tools/list", (response, id) => {
    times++;
    const tools = [`now_${times}`, "echo"].map((name) => ({
      name,
      description: `Time ${times}`,
      inputSchema: { type: "object" },
    }));
    json(response, message({ id, result: whole("modern", { tools }) }));
  });
  const id = await it.with({ url: server.url });
  const first = await turnInTime(id, said('[[tools now_1 {} | echo {"text":"a"}]]'));
  assert.equal(resultsOf(first).length, 2);
  for (let time = 0; time < 3; time++) {
    await it.update(id, {
      agent: withServers({ url: server.url, configs: [{ name: `x${time}`, enabled: false }] }),
    });
    const events = await it.turn(id, call("echo"));
    // Each time it says something else of itself: a person is asked (MCP30).
    const [use] = ofType(events, "agent.mcp_tool_use");
    assert.equal(use?.["evaluated_permission"], "ask");
    assert.match(JSON.stringify(use?.["tool_change"]), /Time 1.*Time [2-9]/);
    await it.turn(id, { type: "user.tool_confirmation", tool_use_id: use?.["id"], result: "deny" });
    assert.match(resultsOf(await turnInTime(id, call("now_1")))[0] ?? "", /not there any more/);
  }
  assert.equal(server.asked.filter(({ method }) => method === "tools/call").length, 2);
});

// What real clients send, recorded by `npm run clients`, is answered as it was when they were content with it.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import {
  readRecording,
  recordingOf,
  recordings,
  type RecordedRequest,
} from "../../tools/clients/recording.ts";
import { clients, isRecorded } from "../../tools/clients/client-list.ts";
import { openHouse, type House } from "../house.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const bytesMax = 96 * 1024;
const files = readdirSync(recordings).filter((name) => name.endsWith(".json"));

/** Everything of a stream but its texts: what each event is. */
const typesIn = (text: string) => [...text.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);

async function answered({ method, path, headers, body }: RecordedRequest) {
  const { api_key: key } = house.organizations.platform;
  return house.ask(method, path, { key, headers, ...(body !== undefined && { body }) });
}

for (const file of files)
  test(`${file}: each request is answered as recorded`, async () => {
    const { requests } = readRecording(file);
    assert.ok(requests.length > 0);
    for (const [index, request] of requests.entries()) {
      const { status, stream } = request;
      const name = `${file}, request ${index}, ${request.method} ${request.path}`;
      const reply = await answered(request);
      assert.equal(reply.status, status, `${name}: ${JSON.stringify(reply.body)}`);
      if (stream) {
        const types = typesIn(String(reply.body));
        assert.deepEqual([types[0], types.at(-1)], ["message_start", "message_stop"], name);
        assert.ok(!types.includes("error"), name);
      } else if (status === 200 && /^\/v1\/messages(\?|$)/.test(request.path)) {
        assert.equal(reply.body.type, "message", name);
        assert.ok(reply.body.content.length > 0 && reply.body.usage.output_tokens > 0, name);
      } else if (status >= 400) assert.equal(reply.body.type, "error", name);
    }
  });

test("a recording has the structure of what was sent, and no text but directives", () => {
  const key = "sk-plinth-api-secret";
  const schemaOf = (title: string) => ({
    type: "object",
    properties: { path: { type: "string", title } },
  });
  const tools = ["read", "write", "run"].map((name) => ({
    name,
    input_schema: schemaOf("A path"),
  }));
  const directive = '[[tool run {"path":"/tmp/x/note","then":"[[say \\"Done.\\"]]"}]]';
  const content = [
    { type: "text", text: `You are a program of its makers. ${directive} And so on.` },
    { type: "text", text: "" },
    { type: "tool_result", tool_use_id: "toolu_0123456789abcdef", content: "What it said" },
  ];
  const body = { model: "m", max_tokens: 5, tools, messages: [{ role: "user", content }] };
  const sent = (path: string, value: unknown) => ({
    method: "POST",
    path,
    headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "user-agent": "x (host)" },
    body: JSON.stringify(value),
    status: 200,
    contentType: "text/event-stream",
  });
  const exchanges = [
    sent("/v1/messages", body),
    sent("/v1/messages", body),
    sent("/v1/messages/batches/msgbatch_01m81jr9mg0000hajcmcr7ggek", {}),
    sent("/v1/messages", { ...body, speed: "fast" }),
  ];
  const { requests } = recordingOf("x", exchanges, "/tmp/x");
  const kept = {
    model: "m",
    max_tokens: 5,
    tools: [
      { name: "read", input_schema: schemaOf("text") },
      { name: "run", input_schema: schemaOf("text") },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: directive.replace("/tmp/x", "/scratch") },
          { type: "text", text: "" },
          { type: "tool_result", tool_use_id: "toolu_1", content: "text" },
        ],
      },
    ],
  };
  const headers = { "anthropic-version": "2023-06-01" };
  const first = { method: "POST", path: "/v1/messages", headers, body: kept };
  assert.deepEqual(requests[0], { ...first, status: 200, stream: true });
  assert.equal(requests.length, 2, "the same again says nothing, and the batch is one server's");
});

test("there is a recording of each client whose requests are kept, and no other", () => {
  const ids = clients.filter(isRecorded).map(({ id }) => `${id}.json`);
  assert.deepEqual(files.sort(), ids.sort());
});

for (const file of files)
  test(`${file}: holds no secret, no path, no id and no long text`, () => {
    const text = JSON.stringify(readRecording(file));
    assert.ok(text.length < bytesMax, `${text.length} bytes`);
    for (const pattern of [
      /sk-(plinth|ant)/,
      /"\/(?!v1\/|scratch|")[a-z]+\/[a-z]/,
      /[0-9a-f]{8}-[0-9a-f]{4}/,
    ])
      assert.doesNotMatch(text, pattern);
    const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = ""]) => word);
    const long = words.filter((word) => word.length > 64 && !word.startsWith("[["));
    // The names of betas stand in one header.
    assert.deepEqual(
      long.filter((word) => !/^[\w,-]+$/.test(word)),
      [],
    );
  });

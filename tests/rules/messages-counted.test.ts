// Rules MSG72 to MSG74: what is charged where the upstream does not report what it wrote, and what the client sees.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accumulate } from "../upstreams/accumulate.ts";
import { eventsIn } from "../conformance/messages-stream.ts";
import { bytesOfJson, WrittenTokens } from "../../server/messages/run/written-tokens.ts";
import { relayReader } from "../../server/models/messages/adapter.ts";
import { fallback07 } from "./fallbacks-house.ts";
import {
  askForAnswer,
  blockFrames,
  countedFields,
  endFrames,
  frameOf,
  countedInput,
  openMessagesHouse,
  startFrame,
  type MessagesHouse,
} from "./messages-house.ts";

let h: MessagesHouse;
before(async () => {
  h = await openMessagesHouse();
});
after(async () => {
  await h[Symbol.asyncDispose]();
});

const long = "wörd ".repeat(6_000);
/** 36,000 bytes. */
const tokens = 9_000;
const ask = (body: object, headers?: Record<string, string>) => askForAnswer(h, body, headers);

const chunkOf = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta, ...rest }] })}\n\n`;
const chatEnd = `${chunkOf({}, { finish_reason: "stop" })}data: [DONE]\n\n`;

for (const kind of ["text", "thinking", "tool_use"] as const)
  test(`[MSG72] [MSG73] thousands of tokens in one delta are charged where no usage follows: ${kind}`, async () => {
    const piece = kind === "tool_use" ? JSON.stringify({ long }) : long;
    const expected = kind === "tool_use" ? 1 + Math.ceil(Buffer.byteLength(piece) / 4) : tokens;
    for (const [usage, end] of [
      [{ input_tokens: 7, output_tokens: 1 }, endFrames()],
      [{ input_tokens: 7, output_tokens: 1 }, endFrames({})],
      [{ input_tokens: 7 }, endFrames({ output_tokens: null })],
    ] as const) {
      h.upstream.answer = ({ head, chunk, end: over }) => {
        head(200);
        chunk(startFrame(usage) + blockFrames([piece], kind).join("") + end);
        over();
      };
      const { answer, row } = await ask({ model: "ours", stream: true });
      assert.deepEqual(countedFields(row), ["served", true, 7, expected]);
      assert.match(answer, new RegExp(`"output_tokens":${expected}\\b`));
    }
  });

test("[MSG73] what a beginning says of the output counts for no more than the model was allowed", async () => {
  const start = startFrame({ input_tokens: 7, output_tokens: 900_000 });
  for (const end of [endFrames(), endFrames({})]) {
    h.upstream.answer = ({ head, chunk, end: over }) => {
      head(200);
      chunk(start + blockFrames(["short"]).join("") + end);
      over();
    };
    const { row } = await ask({ model: "ours", stream: true, max_tokens: 100 });
    assert.deepEqual(countedFields(row), ["served", true, 7, 100]);
  }
  h.upstream.answer = async ({ head, chunk, flushed }) => {
    head(200);
    chunk(start + blockFrames(["short"]).slice(0, 2).join(""));
    await flushed();
  };
  const [row = assert.fail("no row")] = await h.rowsOf(async () => {
    const { answered, leave } = h.begin({ model: "ours", stream: true, max_tokens: 100 });
    (await answered).on("error", () => {}).once("data", leave);
  });
  assert.deepEqual(countedFields(row), ["cut", true, 7, 100]);
});

test("[MSG72] [MSG73] and where the client hangs up before the end, or the upstream breaks off", async () => {
  for (const [how, text] of [
    ["leaves", long],
    ["leaves", " ".repeat(Buffer.byteLength(long))],
    ["breaks", long],
  ] as const) {
    h.upstream.answer = async ({ head, chunk, flushed, reset }) => {
      head(200);
      chunk(startFrame() + blockFrames([text]).slice(0, 2).join(""));
      await flushed();
      if (how === "breaks") setImmediate(reset);
    };
    const [row = assert.fail("no row")] = await h.rowsOf(async () => {
      const { answered, leave } = h.begin({ model: "ours", stream: true, max_tokens: 20_000 });
      const response = await answered;
      if (how === "leaves") response.on("error", () => {}).once("data", leave);
      else for await (const _ of response);
    });
    assert.deepEqual(countedFields(row), [how === "leaves" ? "cut" : "failed", true, 7, tokens]);
  }
  assert.ok(h.house.expectErrors().length <= 2);
});

test("[MSG72] it is never more than max_tokens", async () => {
  h.upstream.answer = ({ head, chunk, end }) => {
    head(200);
    chunk(startFrame() + blockFrames([long]).join("") + endFrames());
    end();
  };
  const { row } = await ask({ model: "ours", stream: true, max_tokens: 64 });
  assert.deepEqual(countedFields(row), ["served", true, 7, 64]);
});

for (const stream of [false, true])
  test(`[MSG72] [MSG73] the same over chat completions, hidden thoughts too: stream ${stream}`, async () => {
    const said = { content: long, reasoning_content: long };
    for (const usage of [undefined, null, { prompt_tokens: -1, completion_tokens: 1.5 }]) {
      h.upstream.answer = ({ head, chunk, end, reply }) => {
        const rest = usage === undefined ? {} : { usage };
        const choices = [{ index: 0, message: said, finish_reason: "stop" }];
        if (!stream) return reply(200, JSON.stringify({ id: "x", choices, ...rest }));
        head(200);
        chunk(chunkOf(said) + `data: ${JSON.stringify({ choices: [], ...rest })}\n\n` + chatEnd);
        end();
      };
      const { row } = await ask({ model: "chatty", stream });
      assert.deepEqual(countedFields(row), ["served", true, countedInput("Well?"), 2 * tokens]);
      const less = await ask({ model: "chatty", stream, max_tokens: 50 });
      assert.equal(less.row.output, 50);
    }
    h.upstream.answer = ({ head, chunk, end, reply }) => {
      const usage = { prompt_tokens: 11, completion_tokens: 12 };
      const choices = [{ index: 0, message: said, finish_reason: "stop" }];
      if (!stream) return reply(200, JSON.stringify({ id: "x", choices, usage }));
      head(200);
      chunk(chunkOf(said) + `data: ${JSON.stringify({ choices: [], usage })}\n\n` + chatEnd);
      end();
    };
    const { row } = await ask({ model: "chatty", stream });
    assert.deepEqual(countedFields(row), ["served", false, 11, 12]);
  });

test("[MSG72] small pieces over chat completions count one each, as the house would count their text", async () => {
  const pieces = ["a", "b", "c", " ", "five5", "five5"];
  h.upstream.answer = ({ head, chunk, end }) => {
    head(200);
    chunk(pieces.map((content) => chunkOf({ content })).join("") + chatEnd);
    end();
  };
  const { row } = await ask({ model: "chatty", stream: true });
  assert.equal(row.output, pieces.length);
});

const junk: readonly [string, unknown, boolean][] = [
  ["absent", undefined, true],
  ["null", null, true],
  ["a text", "x", true],
  ["a list", [1, 2], true],
  ["texts", { input_tokens: "7", output_tokens: "9" }, true],
  ["negative", { input_tokens: -7, output_tokens: -9 }, true],
  ["fractions", { input_tokens: 7.5, output_tokens: 9.5 }, true],
  ["too many", { input_tokens: 1e15, output_tokens: 1e15 }, true],
  ["half of it", { input_tokens: 7 }, true],
  [
    "junk beside counts",
    {
      input_tokens: 7,
      output_tokens: 9,
      cache_creation: [],
      cache_read_input_tokens: "x",
      cache_creation_input_tokens: null,
      output_tokens_details: "x",
      server_tool_use: [3],
      service_tier: 5,
      iterations: "x",
    },
    false,
  ],
  [
    "junk in its steps",
    { input_tokens: 7, output_tokens: 9, iterations: [{ input_tokens: "x" }] },
    false,
  ],
];

/** What every reader of the contract relies on. */
function assertWellFormed(usage: Record<string, unknown>, what: string): void {
  for (const name of [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
  ])
    assert.ok(Number.isSafeInteger(usage[name]) && Number(usage[name]) >= 0, `${what}: ${name}`);
  for (const name of ["cache_creation", "output_tokens_details", "server_tool_use"]) {
    const value = usage[name] ?? null;
    const isRecord = typeof value === "object" && !Array.isArray(value);
    assert.ok(isRecord, `${what}: ${name} is ${JSON.stringify(value)}`);
  }
  assert.ok(["string", "undefined"].includes(typeof (usage["service_tier"] ?? undefined)), what);
  for (const step of (usage["iterations"] ?? []) as Record<string, unknown>[])
    assert.ok(Number.isSafeInteger(step["input_tokens"]), `${what}: iterations`);
  for (const name of Object.keys(usage)) assert.match(name, /^[a-z][a-z_0-9]*$/, what);
}

for (const stream of [false, true])
  for (const betas of ["", fallback07])
    test(`[MSG73] [MSG74] junk in an upstream's usage reaches no client: stream ${stream}, ${betas || "plain"}`, async () => {
      for (const [what, usage, estimated] of junk) {
        const raw = (text: string) => text.replaceAll("1000000000000000", "1e400");
        h.upstream.answer = ({ head, chunk, end, reply }) => {
          const content = [{ type: "text", text: "Four and more" }];
          const message = {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "ours",
            content,
            stop_reason: "end_turn",
            stop_sequence: null,
            usage,
          };
          if (!stream) return reply(200, raw(JSON.stringify(message)));
          head(200);
          const start = usage === undefined ? startFrame(null) : startFrame(usage);
          chunk(raw(start + blockFrames(["Four and more"]).join("") + endFrames(usage)));
          end();
        };
        const body = { model: "ours", stream, ...(betas && { fallbacks: [{ model: "spare" }] }) };
        const { answer, row } = await ask(body, betas === "" ? {} : { "anthropic-beta": betas });
        assert.equal(row.estimated, estimated, what);
        const input = what === "half of it" || !estimated ? 7 : countedInput("Well?");
        assert.deepEqual([row.input, row.output], [input, estimated ? 4 : 9], what);
        const events = stream ? eventsIn(answer) : [];
        const message = stream ? accumulate(events) : (JSON.parse(answer) as object);
        const { usage: shown } = message as { usage: Record<string, unknown> };
        assertWellFormed(shown, what);
        assert.deepEqual([shown["input_tokens"], shown["output_tokens"]], [row.input, row.output]);
        const [first] = events as { message?: { usage: Record<string, unknown> } }[];
        if (first?.message !== undefined)
          assertWellFormed(first.message.usage, `${what}, at first`);
      }
    });

test("[MSG72] the length of a text is told from its JSON, however that is written", () => {
  const texts = [
    "",
    "plain",
    'quo"te \\ back',
    "tab\tline\n",
    "größe",
    "世界",
    "👋🏽",
    "\u0000\u001f",
    "\u007f\u0080\u07ff\u0800\uffff",
  ];
  const escaped = (text: string) =>
    `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
  for (const text of texts)
    for (const json of [JSON.stringify(text), escaped(text)])
      assert.equal(bytesOfJson(json, 1, json.length - 1), Buffer.byteLength(text), json);
  const two = '{"a":"b"}';
  assert.equal(bytesOfJson(two, 2, two.length - 2), -1);
});

test("[MSG72] frames of any shape are counted alike: fields in another order, blanks, more fields, no names", () => {
  const pieces = ["Hello ", 'a "quoted" \\ word\n', "größer 世界 👋🏽", "", "x".repeat(5_000), "end"];
  const bytes = Buffer.byteLength(pieces.join(""));
  const shapes: readonly ((text: string) => string)[] = [
    (text) =>
      frameOf({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    (text) =>
      frameOf({ type: "content_block_delta", delta: { text, type: "text_delta" }, index: 0 }),
    (text) =>
      frameOf({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text, extra: "x" },
      }),
    (text) =>
      frameOf({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })
        .replaceAll('":', '" : ')
        .replaceAll(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        ),
    (text) =>
      `data: ${JSON.stringify({ type: "content_block_delta", delta: { type: "text_delta", text } })}\n\n`,
    (text) =>
      frameOf({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text },
      }).replaceAll("\n", "\r\n"),
  ];
  for (const [at, shape] of shapes.entries()) {
    const written = new WrittenTokens();
    const { scanner, eventsOf } = relayReader();
    written.begin({ type: "text", text: "" });
    for (const piece of pieces)
      for (const block of scanner.push(Buffer.from(shape(piece))))
        for (const event of eventsOf(block)) written.add(event);
    assert.equal(written.tokens(), Math.ceil(bytes / 4), `shape ${at}`);
  }
});

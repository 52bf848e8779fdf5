// Rule MSG75: what an upstream leaves out of its answer, and texts that have no word.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventsIn } from "../conformance/messages-stream.ts";
import { limits } from "../../server/messages/limits.ts";
import { fallback07 } from "./fallbacks-house.ts";
import {
  askForAnswer,
  blockFrames,
  countedFields,
  endFrames,
  frameOf,
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

const ask = (body: object, headers?: Record<string, string>) => askForAnswer(h, body, headers);

/** What the contract has as null rather than left out. */
const always = ["stop_sequence", "stop_details", "container", "context_management", "diagnostics"];
const alwaysInUsage = [
  "cache_creation",
  "output_tokens_details",
  "server_tool_use",
  "service_tier",
  "speed",
  "inference_geo",
];

test("[MSG75] what the upstream leaves out is null, whole and streamed; a text of the newer version has citations", async () => {
  const usage = { input_tokens: 7, output_tokens: 1 };
  const said = { id: "msg_1", type: "message", role: "assistant", model: "theirs" };
  const bare = { type: "text", text: "Yes." };
  for (const version of ["2023-06-01", "2026-10-21"])
    for (const stream of [false, true]) {
      h.upstream.answer = ({ head, chunk, reply, end: over }) => {
        if (!stream)
          return reply(
            200,
            JSON.stringify({ ...said, content: [bare], stop_reason: "end_turn", usage }),
          );
        head(200);
        const start = { type: "message_start", message: { ...said, content: [], usage } };
        const block = { type: "content_block_start", index: 0, content_block: bare };
        chunk(
          frameOf(start) +
            frameOf(block) +
            blockFrames(["Yes."]).slice(1).join("") +
            endFrames(usage),
        );
        over();
      };
      const { answer } = await ask({ model: "ours", stream }, { "anthropic-version": version });
      const seen = stream ? eventsIn(answer) : [];
      const message = stream ? seen[0]?.["message"] : JSON.parse(answer);
      const block = stream ? seen[1]?.["content_block"] : message.content[0];
      assert.deepEqual(
        [
          ...always.map((name) => message[name]),
          ...alwaysInUsage.map((name) => message.usage[name]),
        ],
        [...always, ...alwaysInUsage].map(() => null),
      );
      assert.equal(block.citations, version === "2023-06-01" ? undefined : null);
    }
});

test("[MSG75] a text without a word that is no refusal goes out as it came, and is charged", async () => {
  const usage = { input_tokens: 10, output_tokens: 3 };
  const wordless = blockFrames([" ", "\n"]).join("");
  for (const sent of [wordless, wordless + blockFrames([" ", "So", "."]).join("")]) {
    h.upstream.answer = ({ head, chunk, end: over }) => {
      head(200);
      chunk(startFrame(usage) + sent + endFrames(usage));
      over();
    };
    const { answer, row } = await ask({ model: "ours", stream: true });
    assert.ok(answer.includes(sent), answer);
    assert.deepEqual([row.input, row.output], [10, 3]);
  }
  h.upstream.answer = ({ head, chunk, end: over }) => {
    head(200);
    chunk(startFrame(usage) + blockFrames([" ".repeat(36_000)]).join("") + endFrames());
    over();
  };
  const { row } = await ask({ model: "ours", stream: true, max_tokens: 20_000 });
  assert.deepEqual(countedFields(row), ["served", true, 10, 9_000]);
});

test("[MSG75] blanks without end are not held back", async () => {
  const texts = Array.from({ length: limits.blankEventsMax + 9 }, () => " ");
  h.upstream.answer = ({ head, chunk, end: over }) => {
    head(200);
    chunk(startFrame() + blockFrames(texts).join("") + endFrames({ output_tokens: 9 }, "refusal"));
    over();
  };
  const { answer, row } = await ask({ model: "ours", stream: true });
  assert.equal(answer.match(/"text_delta"/g)?.length, texts.length);
  assert.deepEqual([row.input, row.output], [7, 9]);
});

test("[MSG75] a refusal before a word is not charged and has no content, whole and streamed", async () => {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const cases = [false, true].flatMap((stream) =>
    [[""], [" ", "\n"]].flatMap((texts) =>
      [fallback07, "context-1m-2025-08-07"].map((beta) => ({ stream, texts, beta })),
    ),
  );
  for (const { stream, texts, beta } of cases) {
    h.upstream.answer = ({ head, chunk, reply, end: over }) => {
      const said = { id: "msg_1", type: "message", role: "assistant", model: "theirs" };
      const content = [{ type: "text", text: texts.join("") }];
      const stop_details = { type: "refusal", category: "cyber", explanation: null };
      if (!stream)
        return reply(
          200,
          JSON.stringify({ ...said, content, stop_reason: "refusal", stop_details, usage }),
        );
      head(200);
      chunk(startFrame(usage) + blockFrames(texts).join("") + endFrames(usage, "refusal"));
      over();
    };
    const { answer, row } = await ask({ model: "ours", stream }, { "anthropic-beta": beta });
    assert.deepEqual([row.input, row.output, row.nano], [0, 0, 0]);
    if (!stream) assert.deepEqual(JSON.parse(answer).content, []);
    assert.doesNotMatch(answer, /content_block/);
  }
});

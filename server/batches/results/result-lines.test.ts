// Rule BAT25 in small: the words of each version, however the lines are cut on their way.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../models/module.ts";
import { linesForDialect, resultLineOf } from "./result-lines.ts";

const message = (...content: object[]) =>
  ({ id: "msg_1", type: "message", role: "assistant", model: "m", content }) as unknown as Message;
const text = (words: string, citations: unknown = null) => ({
  type: "text",
  text: words,
  citations,
});

const look = '"citations" :null,';
const lines = [
  resultLineOf("a", {
    type: "succeeded",
    message: message(text("One."), text("Two."), text("", [])),
  }),
  resultLineOf("b", { type: "canceled" }),
  resultLineOf("c", {
    type: "succeeded",
    message: message(text(`${look} "citations" `), text(look)),
  }),
  resultLineOf("d", {
    type: "succeeded",
    message: message({ type: "tool_use", input: { citations: null } }),
  }),
  resultLineOf("e", { type: "errored", error: { message: look } }),
];
const whole = Buffer.concat(lines);

/** As a disk may give it: in pieces of this size. */
const inPieces = (size: number) =>
  async function* read({ start, end }: { start: number; end: number }) {
    for (let at = start; at < end; at += size)
      yield Buffer.from(whole.subarray(at, Math.min(end, at + size)));
  };

async function read(
  dialect: "2023-06-01" | "2026-10-21",
  size: number,
  start = 0,
  end = whole.length,
) {
  const pieces: Buffer[] = [];
  const range = { start, end };
  for await (const piece of linesForDialect(inPieces(size), range, whole.length, dialect))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

const parsed = (bytes: Buffer) =>
  bytes
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

test("[BAT25] a line says what the result says, with null citations only for those who know them", async () => {
  const [newer, older] = [await read("2026-10-21", 1e6), await read("2023-06-01", 1e6)];
  assert.ok(newer.equals(whole));
  assert.equal(older.length, newer.length);
  const contentOf = (bytes: Buffer) => parsed(bytes)[0].result.message.content;
  assert.deepEqual(contentOf(newer), [text("One."), text("Two."), text("", [])]);
  assert.deepEqual(contentOf(older), [
    { type: "text", text: "One." },
    { type: "text", text: "Two." },
    text("", []),
  ]);
  const [, , both, tool, error] = parsed(older);
  assert.deepEqual(both.result.message.content, [
    { type: "text", text: `${look} "citations" ` },
    { type: "text", text: look },
  ]);
  assert.deepEqual(tool.result.message.content[0].input, { citations: null });
  assert.deepEqual([tool, error], parsed(newer).slice(3));
});

test("[BAT25] [BAT26] it is the same however it is cut, and in every range", async () => {
  const older = await read("2023-06-01", 1e6);
  for (let size = 1; size <= 45; size++)
    assert.ok((await read("2023-06-01", size)).equals(older), `pieces of ${size}`);
  for (let start = 0; start < 200; start++)
    for (const length of [1, 5, 18, 60]) {
      const part = await read("2023-06-01", 16, start, start + length);
      assert.ok(part.equals(older.subarray(start, start + length)), `${length} from ${start}`);
    }
});

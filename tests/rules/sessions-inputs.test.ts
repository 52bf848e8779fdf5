// Rules SES13 and SES55: what could not be read when its turn comes is refused when it is sent, by its field.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { filesOf } from "./files-house.ts";
import {
  custom,
  customResult,
  openSessionHouse,
  rowsOf,
  said,
  system,
  typesOf,
  type SessionHouse,
} from "./sessions-house.ts";
import { sentenceOf } from "./support.ts";

let it: SessionHouse;
let png: string;
let words: string;
let binary: string;
before(async () => {
  it = await openSessionHouse();
  const upload = async (content: string | Uint8Array<ArrayBuffer>, filename: string) =>
    (await filesOf(it.house).upload({ content, filename })).id;
  png = await upload(new Uint8Array(Buffer.from(pixel, "base64")), "one.png");
  words = await upload("Three sentences.", "rubric.txt");
  binary = await upload(new Uint8Array([0, 255, 0, 254, 7]), "one.bin");
});
after(() => it[Symbol.asyncDispose]());

const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const saying = (...content: object[]) => ({ type: "user.message", content });
const block = (type: "image" | "document", source: object) => ({ type, source });
const base64 = (media_type: string) => ({ type: "base64", media_type, data: pixel });
const named = (file_id: string) => ({ type: "file", file_id });
const outcome = (more: object) => ({
  type: "user.define_outcome",
  description: "All is well.",
  rubric: { type: "text", content: "Is it?" },
  ...more,
});

/** Each is refused alone and behind a good one, and when a session is made; by its field. */
const refuses = async (
  wrong: readonly (readonly [event: object, field: string, status?: number])[],
) => {
  const body = await it.bodyOf();
  const { id } = await it.begin(body);
  const before = await rowsOf(it.house);
  for (const [event, field, status = 400] of wrong) {
    const sent = sentenceOf(await it.trySend(id, [said("Good"), event]), status);
    assert.ok(sent.startsWith(`events.1.${field}: `), `${field}: ${sent}`);
    const begun = sentenceOf(await it.tryBegin({ ...body, initial_events: [event] }), status);
    assert.ok(begun.startsWith(`initial_events.0.${field}: `), `${field}: ${begun}`);
  }
  assert.deepEqual(await it.events(id), []);
  assert.deepEqual(await rowsOf(it.house), before);
};

test("[SES55] text of blanks alone is not said", async () => {
  const blank = { type: "text", text: " \n\t\u00a0" };
  const good = { type: "text", text: " a " };
  await refuses([
    [saying(blank), "content.0.text"],
    [saying(good, blank), "content.1.text"],
    [outcome({ description: " " }), "description"],
    [outcome({ rubric: { type: "text", content: "\n" } }), "rubric.content"],
  ]);
  const { id } = await it.make();
  const told = sentenceOf(await it.trySend(id, [said("Good"), system(" ")]), 400);
  assert.match(told, /^events\.1\.content\.0\.text: /);
  await it.turn(id, saying(good));
});

test("[SES55] images and documents are of types that models read", async () => {
  await refuses([
    [saying(block("image", base64("video/mp4"))), "content.0.source.media_type"],
    [saying(block("image", base64("application/pdf"))), "content.0.source.media_type"],
    [saying(block("document", base64("image/png"))), "content.0.source.media_type"],
    [saying(block("image", named(words))), "content.0.source.file_id"],
    [saying(block("document", named(png))), "content.0.source.file_id"],
    [saying(block("document", named(binary))), "content.0.source.file_id"],
  ]);
  const { id } = await it.make({ model: "sim-large" });
  const readable = saying(
    block("image", base64("image/png")),
    block("image", named(png)),
    block("document", named(words)),
  );
  assert.ok(typesOf(await it.turn(id, readable)).includes("agent.message"));
});

test("[SES55] files that are not there are 404, and another workspace's are not there", async () => {
  const key = it.other.api_key;
  const theirs = (await filesOf(it.house).upload({ content: "theirs", key })).id;
  for (const id of ["file_none", theirs])
    await refuses([
      [
        saying({ type: "text", text: "See" }, block("document", named(id))),
        "content.1.source.file_id",
        404,
      ],
      [saying(block("image", named(id))), "content.0.source.file_id", 404],
    ]);
});

test("[SES55] a rubric is a text", async () => {
  await refuses([
    [outcome({ rubric: named(binary) }), "rubric.file_id"],
    [outcome({ rubric: named(png) }), "rubric.file_id"],
  ]);
  const { id } = await it.make();
  await it.send(id, outcome({ rubric: named(words) }));
});

test("[SES55] so are results of calls, which may be empty, and stay open when they are refused", async () => {
  const { id } = await it.make({ model: "sim-large", tools: [custom("look")] });
  const events = await it.turn(id, said("[[tool look {}]]"));
  const call = events.find(({ type }) => type === "agent.custom_tool_use")?.id ?? "";
  const giving = (...content: object[]) => ({ ...customResult(call, ""), content });
  const wrong: [object, number, RegExp][] = [
    [
      giving(block("image", base64("video/mp4"))),
      400,
      /^events\.0\.content\.0\.source\.media_type/,
    ],
    [giving(block("image", named(words))), 400, /^events\.0\.content\.0\.source\.file_id/],
    [giving(block("document", named("file_none"))), 404, /^events\.0\.content\.0\.source\.file_id/],
  ];
  for (const [event, status, sentence] of wrong)
    assert.match(sentenceOf(await it.trySend(id, [event]), status), sentence);
  const done = await it.turn(id, giving({ type: "text", text: " " }, block("image", named(png))));
  assert.ok(typesOf(done).includes("agent.message"), JSON.stringify(typesOf(done)));
});

test("[SES13] an event that is too large is named by the list that it is in", async () => {
  const large = said("a".repeat(1_000_000));
  const body = await it.bodyOf();
  const before = await rowsOf(it.house);
  const begun = await it.tryBegin({ ...body, initial_events: [said("Good"), large] });
  assert.match(sentenceOf(begun, 400), /^initial_events\.1: has \d+ bytes/);
  assert.deepEqual(await rowsOf(it.house), before);
  const { id } = await it.begin(body);
  assert.match(sentenceOf(await it.trySend(id, [large]), 400), /^events\.0: has \d+ bytes/);
});

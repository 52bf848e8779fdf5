// Rules MEM6 and MEM7, over HTTP: which paths there are, and texts that stay what they were to the byte.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { errorOf, hashOf, type Memory, type MemoryHouse, openMemoryHouse } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let m: MemoryHouse;
let store: string;
before(async () => {
  m = await openMemoryHouse();
  store = (await m.store()).id;
});
after(() => m[Symbol.asyncDispose]());

const write = (path: string, content: unknown = "") =>
  m.call("POST", `/${store}/memories`, { body: { path, content } });
let made = 0;
const anyPath = () => `/any/${++made}`;

const goodPaths: readonly string[] = [
  "/a.md",
  "/notes/2026/11/today.md",
  "/ leading and trailing blanks ",
  "/.hidden",
  "/...",
  "/a..b",
  "/Größe/日本語/😀",
  "/n\u00e9",
  "/Case",
  "/case",
  `/${"s/".repeat(19)}s`,
  `/${"a".repeat(1_023)}`,
  `/${"é".repeat(511)}x`,
  "/back\\slash",
  "/per%20cent?query#hash",
  '/"quoted", {braces}',
];

for (const path of goodPaths)
  test(`[MEM6] ${path.slice(0, 40)} is a path`, async () => {
    const { id } = await m.create(store, path, "x");
    assert.equal((await m.memory(store, id)).path, path);
    const listed = (await m.memories(store, { limit: 100 })).find((memory) => memory.id === id);
    assert.equal(listed?.path, path);
  });

const badPaths: readonly (readonly [what: string, path: string, sentence: RegExp])[] = [
  ["nothing", "", /must start with "\/"/],
  ["no slash first", "a", /must start with "\/"/],
  ["a backslash first", "\\a", /must start with "\/"/],
  ["the root alone", "/", /empty segment/],
  ["a slash at the end", "/a/", /empty segment/],
  ["two slashes", "/a//b", /empty segment/],
  ["two slashes first", "//a", /empty segment/],
  ["a dot", "/a/./b", /no segment "\."/],
  ["two dots", "/a/../b", /no segment "\.\."/],
  ["two dots at the end", "/..", /no segment "\.\."/],
  ["21 segments", `/${"s/".repeat(20)}s`, /at most 20 segments; it has 21/],
  ["1,025 bytes", `/${"a".repeat(1_024)}`, /at most 1024 bytes in UTF-8; it has 1025/],
  ["1,025 bytes of few characters", `/${"é".repeat(512)}`, /it has 1025/],
  ["a line end", "/a\nb", /cannot be seen/],
  ["a tab", "/a\tb", /cannot be seen/],
  ["U+007F", "/a\u007fb", /cannot be seen/],
  ["U+0085", "/a\u0085b", /cannot be seen/],
  ["a soft hyphen", "/a\u00adb", /cannot be seen/],
  ["a zero width joiner", "/a\u200db", /cannot be seen/],
  ["a byte order mark", "/\ufeffa", /cannot be seen/],
  ["a turn of direction", "/a\u202eb", /cannot be seen/],
  ["a tag character", "/a\u{e0041}", /cannot be seen/],
  ["U+2028", "/a\u2028b", /cannot be seen/],
  ["U+2029", "/a\u2029b", /cannot be seen/],
  ["characters that are not composed", "/ne\u0301", /Normalization Form C/],
];

for (const [what, path, sentence] of badPaths)
  test(`[MEM6] ${what} is no path, neither of a new memory nor of one that moves`, async () => {
    const { id } = await m.create(store, anyPath(), "x");
    const asked = [
      await write(path),
      await m.call("POST", `/${store}/memories/${id}`, { body: { path } }),
    ];
    for (const answer of asked) {
      assert.match(sentenceOf(answer, 400), sentence);
      assert.match(sentenceOf(answer, 400), /^path: /);
    }
  });

test("[MEM6] U+0000 and half of a surrogate pair are in no path", async () => {
  for (const path of ["/a\\u0000", "/a\\ud800", "/a\\udc00\\ud800"]) {
    const body = `{"path":"${path}","content":""}`;
    errorOf(await m.call("POST", `/${store}/memories`, { body }), 400);
  }
});

const texts: readonly (readonly [what: string, text: string])[] = [
  ["an empty text", ""],
  ["a byte order mark", "\ufefftext"],
  ["line ends of every kind", "one\r\ntwo\rthree\nfour\u0085five\u2028six\r\n"],
  ["blanks around it", " \t text \u00a0\n\n"],
  ["composed and not composed letters", "n\u00e9 ne\u0301 \u1e9b\u0323 \ufb01"],
  ["emoji with joiners and tones", "👩🏽‍🚀 🇩🇪 ❤️"],
  ["characters of four bytes", "\u{10000}\u{1d160}\u{10ffff}"],
  ["characters that are none", "\ufffe\uffff\ufffd\ue000"],
  ["control characters", "\u0001\u0008\u000b\u001b[31m\u007f\u009f"],
  ["what means something elsewhere", '\'); drop table memories; -- \\x00 ${a} %s {"a":[1,null]}'],
];

for (const [what, text] of texts)
  test(`[MEM7] ${what} stays what it was, and so does its hash`, async () => {
    const { id, ...written } = await m.create(store, anyPath(), text);
    const expected = {
      content_sha256: hashOf(text),
      content_size_bytes: Buffer.byteLength(text),
    };
    const facts = ({ content_sha256, content_size_bytes }: typeof expected) => ({
      content_sha256,
      content_size_bytes,
    });
    assert.deepEqual(facts(written), expected);
    const read = await m.memory(store, id);
    assert.equal(read.content, text);
    assert.deepEqual(facts(read), expected);
    const version = await m.version(store, written.memory_version_id);
    assert.deepEqual([version.content, version.content_sha256], [text, expected.content_sha256]);
    const other = `${text}x`;
    const updated = await m.update(store, id, { content: other });
    assert.equal(updated.content_sha256, hashOf(other));
    await m.update(store, id, { content: text });
    assert.equal((await m.memory(store, id)).content, text);
  });

test("[MEM7] null is as good as an empty text for a new memory, and leaves an old one as it is", async () => {
  const { body } = await write(anyPath(), null);
  const { id, content_sha256, content_size_bytes } = body as Memory;
  assert.deepEqual([content_sha256, content_size_bytes], [hashOf(""), 0]);
  await m.update(store, id, { content: "text" });
  const kept = await m.update(store, id, { content: null, path: anyPath() });
  assert.equal(kept.content_sha256, hashOf("text"));
  const emptied = await m.update(store, id, { content: "" });
  assert.deepEqual([emptied.content_sha256, emptied.content_size_bytes], [hashOf(""), 0]);
  assert.equal((await m.memory(store, id)).content, "");
});

test("[MEM7] U+0000 and half of a surrogate pair are in no text", async () => {
  const { id } = await m.create(store, anyPath(), "x");
  for (const text of ["a\\u0000b", "\\ud83d", "\\ude00", "\\ude00\\ud83d"]) {
    const at = `/${store}/memories`;
    const body = `{"path":"${anyPath()}","content":"${text}"}`;
    assert.match(sentenceOf(await m.call("POST", at, { body }), 400), /U\+0000|surrogate/);
    const change = `{"content":"${text}"}`;
    errorOf(await m.call("POST", `${at}/${id}`, { body: change }), 400);
  }
  assert.equal((await m.memory(store, id)).content, "x");
});

const largest: readonly (readonly [what: string, text: string])[] = [
  ["102,400 letters", "a".repeat(102_400)],
  ["51,200 characters of two bytes", "é".repeat(51_200)],
  ["25,600 characters of four bytes", "😀".repeat(25_600)],
  ["34,133 characters of three bytes and a letter", `${"語".repeat(34_133)}x`],
  ["102,400 control characters, six times as long in JSON", "\u0001".repeat(102_400)],
  ["as many words as fit", words("a", 102_400)],
  ["as many names of hosts and paths", words("a.de/", 102_400)],
];

/** No two of them alike: the index of the search holds each. */
function words(start: string, bytes: number): string {
  let text = "";
  for (let at = 0; text.length < bytes; at++) text += `${start}${at.toString(36)} `;
  return text.slice(0, bytes);
}

for (const [what, text] of largest)
  test(`[MEM7] ${what} fit, and one byte more does not`, async () => {
    const path = anyPath();
    const { id, content_size_bytes, content_sha256 } = await m.create(store, path, text);
    assert.deepEqual([content_size_bytes, content_sha256], [102_400, hashOf(text)]);
    assert.equal((await m.memory(store, id)).content, text);
    const asked = [
      await write(anyPath(), `${text}x`),
      await m.call("POST", `/${store}/memories/${id}`, { body: { content: `x${text}` } }),
      await write(anyPath(), `${text}é`),
    ];
    for (const answer of asked)
      assert.match(
        errorOf(answer, 413, "memory_too_large").message,
        /^content: must have at most 102400 bytes in UTF-8; it has 10240[12]/,
      );
    assert.equal((await m.memory(store, id)).content_sha256, hashOf(text));
    assert.equal((await m.versions(store, { memory_id: id })).length, 1);
  });

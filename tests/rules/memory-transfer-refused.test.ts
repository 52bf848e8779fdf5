// Rules MEM47 to MEM52: what an import refuses, how it says so, and that nothing stays of it, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { sql } from "../../kernel/sql/statement.ts";
import { openMemoryHouse, type MemoryHouse } from "./memory-house.ts";
import { entriesOf, tarOf, transfersOf, type Entry } from "./memory-transfer-house.ts";
import { until } from "./support.ts";

let opened: MemoryHouse;
let stores: ReturnType<typeof transfersOf>;
before(async () => {
  opened = await openMemoryHouse();
  stores = transfersOf(opened.house, opened.platform);
});
after(() => opened[Symbol.asyncDispose]());

const counts = async () => {
  const [row] = await opened.house.world.db.query(sql`
    select (select count(*) from memory_stores)::int as stores,
      (select count(*) from memories)::int as memories,
      (select count(*) from memory_versions)::int as versions,
      (select coalesce(sum(bytes), 0) from memory_workspaces)::int as bytes,
      (select coalesce(sum(stores), 0) from memory_workspaces)::int as counted`);
  return row;
};

/** Sees to it that it is refused, that nothing is left, and that the log does not name the entry. */
async function refusedWith(
  body: Buffer,
  status: number,
  says: RegExp,
  { code, entry, type }: { code?: string; entry?: string; type?: string } = {},
): Promise<void> {
  const before = await counts();
  const answer = await stores.import(body, type === undefined ? {} : { type });
  console.log(
    answer.status >= 500 ? opened.house.log.filter((line) => line["level"] === "error") : "",
  );
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  const { message, details } = answer.body.error;
  assert.match(message, says);
  assert.equal(details?.error_code, code);
  assert.equal(details?.entry, entry);
  await opened.idle();
  assert.deepEqual(await counts(), before, "something is left");
  if (entry === undefined) return;
  assert.ok(message.startsWith(entry.slice(0, 150)), message);
  const { log } = opened.house;
  const line = await until(
    async () => log.find(({ request_id }) => request_id === answer.body.request_id),
    "the line of the request",
  );
  assert.match(String(line["error"]), /^An entry of the archive /);
  assert.ok(!JSON.stringify(log).includes(entry) || /^(store|An)/.test(entry), "the log names it");
}

/** Beside enough that comes before it, so that a store was begun. */
const beside = (...entries: Entry[]) =>
  tarOf([
    ...Array.from({ length: 12 }, (_, at) => ({ name: `${at}.md`, content: "x".repeat(100_000) })),
    ...entries,
  ]);

const badNames: [string, Entry, RegExp][] = [
  ["an absolute path", { name: "/etc/passwd-absolute", content: "x" }, /is an absolute path/],
  ["a way up", { name: "a/../../passwd-way-up", content: "x" }, /has a segment "\.\."/],
  ["a folder above", { name: "../folder-above/", type: "directory" }, /has a segment "\.\."/],
  ["an empty segment", { name: "a//empty-segment", content: "x" }, /its path must have no empty/],
  ["a dot inside", { name: "a/./dot-inside", content: "x" }, /its path must have no segment "\."/],
  ["a link", { name: "link-to-secret", type: "symlink", linkname: "/etc/shadow" }, /is a symlink/],
  ["a hard link", { name: "hard-link", type: "link", linkname: "0.md" }, /is a link/],
  ["a device", { name: "device-null", type: "character-device" }, /is a character-device/],
  ["a pipe", { name: "named-pipe", type: "fifo" }, /is a fifo/],
  ["a control character", { name: "control-\u0007-bell", content: "x" }, /cannot be seen/],
  ["a path that is too deep", { name: `${"deep-one/".repeat(21)}x`, content: "x" }, /segments/],
  ["a path that is too long", { name: "long-one".repeat(130), content: "x" }, /bytes in UTF-8/],
  ["a folder of another", { name: "0.md/below-a-memory", content: "x" }, /stands where another/],
];

for (const [what, entry, says] of badNames)
  test(`[MEM47] ${what} is refused, and named to the caller alone`, async () => {
    await refusedWith(await beside(entry), 400, says, { entry: entry.name });
  });

test("[MEM47] a name that is not UTF-8 is refused", async () => {
  const tar = await tarOf([{ name: "name-@@.md", content: "x" }]);
  const at = tar.indexOf("@@");
  tar[at] = 0xff;
  let sum = 8 * 32;
  for (const [index, byte] of tar.subarray(0, 512).entries())
    if (index < 148 || index >= 156) sum += byte;
  tar.write(`${sum.toString(8).padStart(6, "0")} `, 148);
  await refusedWith(tar, 400, /^An entry: its name is not UTF-8/, { entry: "An entry" });
});

test("[MEM48] what is no text, or too long a text, is refused by its name", async () => {
  const bad: [string | Buffer, number, RegExp, string?][] = [
    [Buffer.from([0x61, 0xff]), 400, /is not UTF-8, so it is no text/],
    ["a\0b", 400, /holds the character U\+0000/],
    ["x".repeat(102_401), 413, /has 102401 bytes; at most 102400/, "memory_too_large"],
  ];
  for (const [content, status, says, code] of bad) {
    const entry = "folder/file-with-a-name.md";
    await refusedWith(await beside({ name: entry, content }), status, says, {
      entry,
      ...(code !== undefined && { code }),
    });
  }
  const { status } = await stores.import(
    await tarOf([{ name: "a.md", content: "x".repeat(102_400) }]),
  );
  assert.equal(status, 200);
});

test("[MEM48] 2,000 memories fit, one more does not", async () => {
  const files = Array.from({ length: 2_001 }, (_, at) => ({ name: `${at}.md`, content: `${at}` }));
  const code = "memory_limit_exceeded";
  await refusedWith(await tarOf(files), 400, /holds more than 2000 memories/, { code });
  const { status, body } = await stores.import(await tarOf(files.slice(1)));
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.memory_count, 2_000);
});

test("[MEM49] what is no tar, an empty one, or a broken one is refused and leaves nothing", async () => {
  const tar = await beside({ name: "last.md", content: "y".repeat(5_000) });
  const zipped = gzipSync(tar);
  const flipped = Buffer.from(zipped);
  flipped.fill(0xaa, flipped.length - 60, flipped.length - 30);
  const bad: [Buffer, RegExp][] = [
    [Buffer.from("{}"), /^The tar ends in the middle/],
    [Buffer.alloc(2_000, "no tar at all"), /^The body is no tar/],
    [await tarOf([]), /^The archive holds no file/],
    [
      await tarOf([{ name: ".DS_Store" }, { name: "a/", type: "directory" }]),
      /^The archive holds no/,
    ],
    [tar.subarray(0, -3_000), /^The tar ends in the middle of a file/],
    [tar.subarray(0, -1_024), /^The tar has no end: it was cut off/],
    [zipped.subarray(0, -20), /^The body is not whole gzip/],
    [flipped, /^The body is not whole gzip|^The body is no tar|^The tar ends/],
  ];
  for (const [body, says] of bad) await refusedWith(body, 400, says);
  await refusedWith(tar, 415, /takes application\/x-tar, application\/gzip or/, {
    type: "application/json",
  });
});

test("[MEM49] an empty body is refused", async () => {
  await refusedWith(Buffer.alloc(0), 400, /^The body is empty/);
});

/** Two memories: one was changed, and its first version redacted; the other was deleted. */
async function lived(): Promise<Map<string, string>> {
  const { id } = await stores.make();
  const first = await stores.write(id, "/a.md", "one");
  await stores.good("POST", `/${id}/memories/${first.id}`, { content: "two" });
  await stores.good("POST", `/${id}/memory_versions/${first.memory_version_id}/redact`);
  const second = await stores.write(id, "/b.md", "three");
  await stores.good("DELETE", `/${id}/memories/${second.id}`);
  return (await stores.export(id)).files;
}

type Fields = Record<string, unknown>;
const record = (number: number) => `history/0000000${number}.json`;

/** What was done to the fields of one version; all of them are lived(). */
const lies: [string, number, () => Fields, RegExp][] = [
  ["a hash of another text", 2, () => ({ content: "other" }), /content_sha256 is not that of/],
  ["another size", 2, () => ({ content_size_bytes: 4 }), /content_size_bytes is not the size/],
  ["no text", 2, () => ({ content: null }), /content is missing/],
  ["half a surrogate", 2, () => ({ content: "\ud800" }), /half of a surrogate pair/],
  ["a path that is none", 2, () => ({ path: "a.md" }), /path: must start with "\/"/],
  ["no path", 2, () => ({ path: null }), /path: is missing/],
  ["a redacted text", 1, () => ({ content: "one" }), /is redacted, and still has/],
  [
    "redacted before it was made",
    1,
    () => ({ redacted_at: "2020-01-01T00:00:00Z" }),
    /before it was made/,
  ],
  [
    "redacted at a time to come",
    1,
    () => ({ redacted_at: "2999-01-01T00:00:00Z" }),
    /redacted_at lies in the future/,
  ],
  ["redacted by somebody, never", 2, () => ({ redaction_reason: "x" }), /redacted_at is null/],
  ["a deletion with a text", 4, () => ({ content: "x" }), /deletes a memory, and still has/],
  ["made a second time", 2, () => ({ operation: "created" }), /makes a memory that has a version/],
  ["two memories on one path", 3, () => ({ path: "/a.md" }), /its path is that of another memory/],
  ["a memory below another", 3, () => ({ path: "/a.md/c" }), /stands below one/],
  [
    "a time before the one before",
    3,
    () => ({ created_at: "2020-01-01T00:00:00Z" }),
    /earlier than that/,
  ],
  ["a time to come", 4, () => ({ created_at: "2999-01-01T00:00:00Z" }), /lies in the future/],
  ["a time that is none", 4, () => ({ created_at: "yesterday" }), /created_at/],
  ["a field that nobody knows", 2, () => ({ colour: "red" }), /colour: is not known/],
  ["an operation that nobody knows", 2, () => ({ operation: "moved" }), /operation: /],
  [
    "an author without a name",
    2,
    () => ({ created_by: { type: "api_actor", api_key_id: "" } }),
    /id: /,
  ],
];

for (const [what, number, lie, says] of lies)
  test(`[MEM50] a history that contradicts itself is refused: ${what}`, async () => {
    const files = await lived();
    const entry = record(number);
    const fields = JSON.parse(files.get(entry) ?? "") as Fields;
    files.set(entry, JSON.stringify({ ...fields, ...lie() }));
    await refusedWith(await tarOf(entriesOf(files)), 400, says, { entry });
  });

test("[MEM50] a history that goes on after the end of a memory, or lost its head, is refused", async () => {
  const files = await lived();
  const third = files.get(record(3)) ?? "";
  const again = { ...(JSON.parse(third) as Fields), operation: "modified" };
  const fourth = JSON.parse(files.get(record(4)) ?? "") as Fields;
  const late = { ...again, created_at: fourth["created_at"], memory_created_at: null };
  const tar = await tarOf([
    ...entriesOf(files),
    { name: record(5), content: JSON.stringify(late) },
  ]);
  await refusedWith(tar, 400, /writes to a memory that was deleted/, { entry: record(5) });
  const headless = files.entries().filter(([name]) => name !== record(2));
  const lost = await tarOf(entriesOf(new Map(headless)));
  await refusedWith(lost, 400, /is redacted, and is the last version/, { entry: record(1) });
});

test("[MEM50] an export that lost or doubled its files, or that a later server made, is refused", async () => {
  const files = await lived();
  const entries = entriesOf(files);
  const cases: [Entry[], RegExp, string?][] = [
    [entries.filter(({ name }) => name !== "store.json"), /a history, but no store\.json/],
    [[...entries, { name: record(2), content: files.get(record(2)) ?? "" }], /twice/, record(2)],
    [[...entries, { name: record(7), content: "{}" }], /is no version of a memory/, record(7)],
    [
      [...entries, { name: "x/store.json", content: files.get("store.json") ?? "" }],
      /there is another store\.json/,
      "x/store.json",
    ],
    [
      [{ name: "store.json", content: '{"type":"memory_store_export","format":2}' }],
      /format: /,
      "store.json",
    ],
  ];
  for (const [each, says, entry] of cases)
    await refusedWith(await tarOf(each), 400, says, entry === undefined ? {} : { entry });
});

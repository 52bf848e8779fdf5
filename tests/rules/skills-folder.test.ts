// Rules SKL3 to SKL7, over HTTP: which files a skill may have. What is refused leaves nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { limits } from "../../server/skills/limits.ts";
import { openHouse, type House } from "../house.ts";
import { tarOf, type Entry } from "./memory-transfer-house.ts";
import { document, folder, skillsOf, zipOf, type Files } from "./skills-house.ts";
import { sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const skills = skillsOf(() => house);

const refused = async (files: Files, sentence: RegExp, status = 400): Promise<void> => {
  const before = await skills.kept();
  assert.match(sentenceOf(await skills.tryUpload(files), status), sentence);
  assert.deepEqual(await skills.kept(), before, "[SKL7] something was kept");
};
const archiveRefused = async (archive: Buffer, sentence: RegExp, status = 400): Promise<void> => {
  const before = await skills.kept();
  assert.match(sentenceOf(await skills.tryArchive(archive), status), sentence);
  assert.deepEqual(await skills.kept(), before, "[SKL7] something was kept");
};
const skill: Entry = { name: "pdf/SKILL.md", content: document("pdf") };
const tarWith = (...entries: Entry[]) => tarOf([skill, ...entries]);

test("[SKL3] paths that lead nowhere else and can be seen", async () => {
  const long = `pdf-forms/${"a".repeat(limits.pathBytesMax - 10)}`;
  const deep = `pdf-forms/${"a/".repeat(limits.pathSegmentsMax - 2)}b`;
  const { id } = await skills.upload({
    ...folder(),
    [long]: "1",
    [deep]: "2",
    "pdf-forms/cafe\u0301 🙂.md": "3",
    "./pdf-forms\\win\\file.txt": "4",
    "pdf-forms/.hidden": "5",
    "pdf-forms/--all": "6",
  });
  assert.deepEqual(await skills.contents(id), {
    "pdf-forms/--all": "6",
    "pdf-forms/.hidden": "5",
    "pdf-forms/SKILL.md": document(),
    [long]: "1",
    [deep]: "2",
    "pdf-forms/caf\u00e9 🙂.md": "3",
    "pdf-forms/win/file.txt": "4",
  });
});

test("[SKL3] [SKL7] paths that are refused, in forms and in archives", async () => {
  const wrong: [path: string, sentence: RegExp][] = [
    ["/etc/passwd", /is an absolute path/],
    ["C:/pdf/a", /is an absolute path/],
    ["\\\\host\\share", /is an absolute path/],
    ["../a", /has a step that is empty/],
    ["pdf/../../a", /has a step that is empty/],
    ["pdf/..\\..\\a", /has a step that is empty/],
    ["pdf/./a", /has a step that is empty/],
    ["pdf//a", /has a step that is empty/],
    ["pdf/ a", /begins or ends with a blank/],
    ["pdf/a ", /begins or ends with a blank/],
    ["pdf/exe\u202etxt", /cannot be seen/],
    ["pdf/a\u200bb", /cannot be seen/],
    ["pdf/a\u2028b", /cannot be seen/],
    ["pdf/a\u0007b", /cannot be seen/],
    ["pdf/a\u007fb", /cannot be seen/],
    ["pdf/a\ufffdb", /cannot be seen/],
    [`pdf/${"a".repeat(252)}`, /has more than 255 bytes/],
    [`pdf/${"a/".repeat(9)}b`, /lies deeper than 10 steps/],
    ["a.txt", /stands in no folder/],
    ["other/a", /is not below "pdf": a skill is one folder/],
  ];
  for (const [path, sentence] of wrong) {
    await refused({ "pdf/SKILL.md": document("pdf"), [path]: "x" }, sentence);
    await archiveRefused(await zipOf({ "pdf/SKILL.md": document("pdf"), [path]: "x" }), sentence);
    await archiveRefused(await tarWith({ name: path, content: "x" }), sentence);
  }
  const nul = await zipOf({ "pdf/SKILL.md": document("pdf"), "pdf/a\0b": "x" });
  await archiveRefused(nul, /cannot be seen/);
  const foreign = await zipOf({ "pdf/SKILL.md": document("pdf"), "pdf/xx": "x" });
  const bytes = Buffer.from(
    foreign.toString("latin1").replaceAll("pdf/xx", "pdf/\xff\xfe"),
    "latin1",
  );
  await archiveRefused(bytes, /name that is not UTF-8/);
  await refused({ "SKILL.md": document("pdf") }, /stands in no folder/);
  await refused({ "pdf/skill.md": document("pdf") }, /there is no SKILL\.md right in/);
  await refused({ "pdf/docs/SKILL.md": document("pdf") }, /there is no SKILL\.md right in/);
  await archiveRefused(await zipOf({ "SKILL.md": document("pdf") }), /stands in no folder/);
});

test("[SKL4] [SKL7] names that are one on some disk are refused", async () => {
  for (const [one, other] of [
    ["a", "a"],
    ["a.md", "A.md"],
    ["skill.md", "SKILL.md"],
    ["caf\u00e9", "cafe\u0301"],
    ["\ufb01le", "file"],
    ["stra\u00dfe", "STRASSE"],
    ["\u017f", "s"],
    ["a", "a/b"],
    ["a/b", "A"],
    ["a/b", "A/c"],
  ] as const) {
    const files: Files = [
      ["pdf/SKILL.md", document("pdf")],
      [`pdf/${one}`, "1"],
      [`pdf/${other}`, "2"],
    ];
    await refused(files, /stands in the way of/);
    await refused(files.toReversed(), /stands in the way of/);
    const entries = files.map(([name, content]) => ({ name, content: content as string }));
    await archiveRefused(await tarOf(entries), /stands in the way of/);
  }
  await skills.upload({ "pdf/SKILL.md": document("pdf"), "pdf/a/b": "1", "pdf/a/c": "2" });
});

test("[SKL5] [SKL7] links and devices are refused, folders and hidden files passed over", async () => {
  for (const [type, linkname] of [
    ["symlink", "/etc/passwd"],
    ["link", "pdf/SKILL.md"],
    ["fifo", ""],
    ["character-device", ""],
  ] as const) {
    const sentence = new RegExp(`"pdf/a" is a ${type}, no regular file`);
    await archiveRefused(await tarWith({ name: "pdf/a", type, linkname }), sentence);
  }
  const zip = await zipOf({ "pdf/SKILL.md": document("pdf"), "pdf/a": "/etc/passwd" });
  const modeAt = zip.lastIndexOf("PK\x01\x02") + 38;
  zip.writeUInt32LE(0o120777 * 0x10000, modeAt);
  await archiveRefused(zip, /"pdf\/a" is a symlink, no regular file/);
  const tidy = await tarWith(
    { name: "pdf/docs/", type: "directory" },
    { name: "__MACOSX/pdf/._SKILL.md", content: "x" },
    { name: "pdf/.DS_Store", content: "x" },
  );
  for (const archive of [tidy, gzipSync(tidy)]) {
    const { id } = (await skills.tryArchive(archive)).body;
    assert.deepEqual(Object.keys(await skills.contents(id)), ["pdf/SKILL.md"]);
  }
});

const filler = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`pdf/${at}`, ""]));

test("[SKL6] [SKL7] as many files as there may be, and one more", async () => {
  const most = { "pdf/SKILL.md": document("pdf"), ...filler(limits.filesMax - 1) };
  await skills.upload(most);
  assert.equal((await skills.tryArchive(await zipOf(most))).status, 200);
  const over = { ...most, "pdf/more": "" };
  await refused(over, /more files than 500/);
  await archiveRefused(await zipOf(over), /at most 500 files; these are 501/);
  const folders = Array.from({ length: limits.archiveEntriesMax }, (_, at) => ({
    name: `pdf/${at}/`,
    type: "directory" as const,
  }));
  const { status } = await skills.tryArchive(gzipSync(await tarWith(...folders.slice(1))));
  assert.equal(status, 200);
  await archiveRefused(gzipSync(await tarWith(...folders)), /more than 2000 entries/);
  const names = Object.fromEntries(folders.map(({ name }) => [`${name}a`, ""]));
  await archiveRefused(await zipOf({ ...most, ...names }), /has 2500 entries; at most 2000/);
});

test("[SKL6] [SKL7] as many bytes as there may be, and one more", async () => {
  const text = document("pdf");
  const rest = limits.folderBytesMax - text.length;
  const of = (bytes: number) => ({ "pdf/SKILL.md": text, "pdf/a": new Uint8Array(bytes) });
  await skills.upload(of(rest));
  const sentence = /may have 31457280 bytes together/;
  await refused(of(rest + 1), sentence, 413);
  const tar = (bytes: number) => tarWith({ name: "pdf/a", content: Buffer.alloc(bytes) });
  for (const [most, over] of [
    [await zipOf(of(rest)), await zipOf(of(rest + 1))],
    [gzipSync(await tar(rest)), gzipSync(await tar(rest + 1))],
  ] as const) {
    assert.equal((await skills.tryArchive(most)).status, 200);
    await archiveRefused(over, sentence, 413);
  }
});

test("[SKL6] [SKL7] bombs are refused before they go off", async () => {
  const zeros = new Uint8Array(10 * 1024 * 1024);
  const zip = await zipOf({ "pdf/SKILL.md": document("pdf"), "pdf/a": zeros });
  // It says that it is small: what it unpacks to is cut where it goes past that.
  const liar = Buffer.from(zip);
  liar.writeUInt32LE(10, liar.lastIndexOf("PK\x01\x02") + 24);
  await archiveRefused(liar, /"pdf\/a" in the zip is broken/);
  const huge = Buffer.from(zip);
  huge.writeUInt32LE(0xf0000000, huge.lastIndexOf("PK\x01\x02") + 24);
  await archiveRefused(huge, /bytes together/, 413);
  const hidden = Array.from({ length: 5 }, (_, at) => ({
    name: `pdf/${at}/.DS_Store`,
    content: Buffer.alloc(1024 * 1024),
  }));
  const tar = gzipSync(await tarWith(...hidden));
  await archiveRefused(tar, /unpacks to far more than its files hold/, 413);
});

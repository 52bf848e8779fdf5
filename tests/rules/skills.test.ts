// Rules SKL1, SKL2 and SKL8 to SKL15, over HTTP: skills and their versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/skills/limits.ts";
import { uploadsPart } from "../../server/skills/module.ts";
import { openHouse, type House } from "../house.ts";
import { addWorkspace, errorOf } from "./memory-house.ts";
import { tarOf } from "./memory-transfer-house.ts";
import {
  document,
  folder,
  formOf,
  skillsOf,
  zipOf,
  type Skill,
  type SkillVersion,
} from "./skills-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const skills = skillsOf(() => house);

test("[SKL1] a folder's files become a skill with its first version", async () => {
  const made = await skills.upload(folder({ "pdf-forms/scripts/fill.py": "print()" }));
  assert.match(made.id, /^skill_\w+$/);
  assert.match(made.latest_version_id, /^skillver_\w+$/);
  const { id, latest_version_id, created_at, updated_at } = made;
  assert.deepEqual(made, {
    id,
    type: "skill",
    display_name: "pdf-forms",
    latest_version_id,
    source: { type: "custom" },
    created_at,
    updated_at: created_at,
  });
  assert.equal(updated_at, created_at);
  assert.deepEqual(await skills.read(id), made);
  assert.deepEqual(await skills.version(id), {
    id: latest_version_id,
    type: "skill_version",
    skill_id: id,
    name: "pdf-forms",
    description: "Fills forms.",
    created_at,
  });
});

test("[SKL1] display_name comes before or after the files, within its limit", async () => {
  const longest = "😀".repeat(255);
  assert.equal((await skills.upload(folder(), { display_name: longest })).display_name, longest);
  const after = formOf(folder());
  after.append("display_name", " PDF forms ");
  assert.equal((await skills.good<Skill>(skills.send("", after))).display_name, "PDF forms");
  assert.equal((await skills.upload(folder(), { display_name: "" })).display_name, "pdf-forms");
  for (const display_name of ["a".repeat(256), "a\nb", " "])
    assert.match(
      sentenceOf(await skills.tryUpload(folder(), { display_name }), 400),
      /^display_name: /,
    );
  const other = await skills.tryUpload(folder(), { title: "x" });
  assert.match(sentenceOf(other, 400), /^title: is not a known field/);
  const { id } = await skills.upload();
  const named = formOf(folder(), { display_name: "x" });
  errorOf(await skills.send(`/${id}/versions`, named), 400);
  assert.match(
    sentenceOf(await skills.tryUpload({}, { display_name: "x" }), 400),
    /^files\[\]: is missing/,
  );
});

test("[SKL1] a zip, a tar and a gzipped tar stand for the files in them", async () => {
  const files = folder({ "pdf-forms/a/b.txt": "b", "pdf-forms/a.txt": "" });
  const { id } = await skills.upload(files);
  const wanted = await skills.contents(id);
  const tar = await tarOf(
    Object.entries(files).map(([name, content]) => ({ name, content: String(content) })),
  );
  for (const archive of [await zipOf(files), tar, gzipSync(tar)]) {
    const made = await skills.good<Skill>(skills.tryArchive(archive));
    assert.deepEqual(await skills.contents(made.id), wanted);
  }
  // Beside other files, or in the folder, an archive is a file like any other.
  const zip = new Uint8Array(await zipOf(files));
  const beside = await skills.upload(folder({ "pdf-forms/more.zip": zip }));
  assert.ok("pdf-forms/more.zip" in (await skills.contents(beside.id)));
});

test("[SKL2] front matter as people write it", async () => {
  const good: [frontMatter: string, name: string, description: string][] = [
    ["name: pdf\ndescription: Fills: forms # all", "pdf", "Fills: forms"],
    [
      'name: "pdf"\ndescription: "Fills \\"forms\\"\\n and more"',
      "pdf",
      'Fills "forms"\n and more',
    ],
    ["name: 'pdf'\ndescription: 'It''s forms' # yes", "pdf", "It's forms"],
    [
      "description: >-\n  Fills\n  forms.\n\n  And more.\nname: pdf",
      "pdf",
      "Fills forms.\nAnd more.",
    ],
    ["description: |\n  Fills\n    forms.\nname: pdf", "pdf", "Fills\n  forms."],
    ["name: pdf\ndescription:\n  Fills\n  forms.", "pdf", "Fills forms."],
    [
      "name: pdf\nmetadata:\n  name: other\n  description: none\ndescription: Fills",
      "pdf",
      "Fills",
    ],
    ["# of ours\nname: pdf\nallowed-tools:\n- Bash\n- Read\ndescription: Fills", "pdf", "Fills"],
    ["description: Fills", "the-folder", "Fills"],
    ["name:\ndescription: Fills", "the-folder", "Fills"],
    [
      `name: ${"a".repeat(64)}\ndescription: ${"😀".repeat(1_024)}`,
      "a".repeat(64),
      "😀".repeat(1_024),
    ],
  ];
  for (const [frontMatter, name, description] of good)
    for (const text of [
      `---\n${frontMatter}\n---\nText`,
      `\ufeff--- \r\n${frontMatter.replaceAll("\n", "\r\n")}\r\n---`,
    ]) {
      const { id } = await skills.upload({ "the-folder/SKILL.md": text });
      const version = await skills.version(id);
      assert.deepEqual([version.name, version.description], [name, description], frontMatter);
      assert.deepEqual(Object.keys(await skills.contents(id)), [`${name}/SKILL.md`]);
    }
});

test("[SKL2] front matter that will not do is refused with what it lacks", async () => {
  const head = (text: string) => `---\n${text}\n---\n`;
  const wrong: [text: string | Uint8Array<ArrayBuffer>, sentence: RegExp][] = [
    ["", /must begin with front matter/],
    ["# PDF", /must begin with front matter/],
    ["---\nname: pdf\ndescription: a", /has no end/],
    [head("name: pdf"), /must have a description/],
    [head("name: pdf\ndescription:"), /must have a description/],
    [head('name: pdf\ndescription: ""'), /must have a description/],
    [head(`name: pdf\ndescription: ${"a".repeat(1_025)}`), /at most 1024 characters/],
    [head("name: pdf\ndescription: a\u202eb"), /cannot be seen/],
    [head("name: pdf\ndescription: a\u0000b"), /cannot be seen/],
    [head("name: pdf\nname: doc\ndescription: a"), /two fields name/],
    [head("name: [pdf]\ndescription: a"), /its name must be a text/],
    [head("name: pdf\ndescription: {a: b}"), /its description must be a text/],
    [head('name: pdf\ndescription: "a'), /double quote/],
    [head("name: pdf\ndescription: 'a' b"), /quote/],
    [head(`name: pdf\ndescription: a\nmore: ${"a".repeat(16_384)}`), /more than 16384 bytes/],
    [new Uint8Array([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), /is not UTF-8/],
    ...[
      "PDF",
      "pdf_forms",
      "-pdf",
      "pdf-",
      "pdf--forms",
      "a".repeat(65),
      "../pdf",
      "pdf forms",
    ].map((name): [string, RegExp] => [
      head(`name: ${name}\ndescription: a`),
      /its name must be 1 to 64/,
    ]),
  ];
  for (const [text, sentence] of wrong) {
    const answer = await skills.tryUpload({ "pdf/SKILL.md": text });
    const said = sentenceOf(answer, 400);
    assert.match(said, /^files\[\]: SKILL\.md: /);
    assert.match(said, sentence);
  }
  const unnamed = await skills.tryUpload({ "My Skill/SKILL.md": head("description: a") });
  assert.match(sentenceOf(unnamed, 400), /its folder's name must be 1 to 64/);
});

test("[SKL8] a process holds so many uploads at a time, and no more", async () => {
  const uploads = uploadsPart.of(house.world);
  const before = await skills.kept();
  uploads.held += limits.uploadsAtOnceMax;
  const refused = await skills.tryUpload(folder());
  uploads.held -= limits.uploadsAtOnceMax;
  assert.equal(refused.status, 503);
  assert.equal(house.expectErrors().length, 1);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.deepEqual(await skills.kept(), before);
  uploads.held += limits.uploadsAtOnceMax - 1;
  await skills.upload();
  await skills.tryUpload({});
  uploads.held -= limits.uploadsAtOnceMax - 1;
  assert.equal(uploads.held, 0);
});

test("[SKL9] versions follow each other under one name", async () => {
  const { id, latest_version_id: first } = await skills.upload();
  const text = document("pdf-forms", "Second.");
  const second = await skills.addVersion(id, { "elsewhere/SKILL.md": text });
  assert.deepEqual([second.skill_id, second.description], [id, "Second."]);
  const { latest_version_id, updated_at } = await skills.read(id);
  assert.deepEqual([latest_version_id, updated_at], [second.id, second.created_at]);
  assert.deepEqual(await skills.version(id, "latest"), second);
  assert.deepEqual(await skills.version(id, second.id), second);
  assert.equal((await skills.version(id, first)).description, "Fills forms.");
  const before = await skills.kept();
  const other = await skills.tryVersion(id, folder({}, "other"));
  assert.match(
    sentenceOf(other, 400),
    /its name is other, and that of the skill skill_\w+ is pdf-forms/,
  );
  assert.deepEqual(await skills.kept(), before);
  const listed = await skills.all<SkillVersion>(`/${id}/versions`, { limit: 1 });
  assert.deepEqual(
    listed.map((version) => version.id),
    [second.id, first],
  );
});

test("[SKL9] many versions at once come one after the other", async () => {
  const { id } = await skills.upload();
  const made = await Promise.all(
    [1, 2, 3, 4].map((at) => skills.addVersion(id, folder({ "pdf-forms/a": String(at) }))),
  );
  const listed = await skills.all<SkillVersion>(`/${id}/versions`);
  assert.equal(listed.length, 5);
  assert.deepEqual(
    new Set(listed.slice(0, 4).map((version) => version.id)),
    new Set(made.map((version) => version.id)),
  );
  assert.equal((await skills.read(id)).latest_version_id, listed[0]?.id);
});

test("[SKL10] the content is a zip in one folder with the name", async () => {
  const script = "#!/bin/sh\necho";
  const files = { "any/SKILL.md": document(), "any/é/b": "b", "any/run": script, "any/a": "" };
  const { id, latest_version_id } = await skills.upload(files);
  const response = await skills.download(id);
  assert.equal(response.headers.get("content-type"), "application/zip");
  assert.match(response.headers.get("content-disposition") ?? "", /filename="pdf-forms\.zip"/);
  const whole = Buffer.from(await response.arrayBuffer());
  assert.deepEqual(await skills.contents(id, latest_version_id), {
    "pdf-forms/SKILL.md": document(),
    "pdf-forms/a": "",
    "pdf-forms/run*": script,
    "pdf-forms/é/b": "b",
  });
  const part = await skills.download(id, "latest", { range: "bytes=4-9" });
  assert.equal(part.status, 206);
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(4, 10)));
  const entries = Object.entries(files).toReversed();
  const again = await skills.upload(entries);
  const same = Buffer.from(await (await skills.download(again.id)).arrayBuffer());
  assert.ok(same.equals(whole), "the same files in another order");
});

test("[SKL11] a deleted version is gone, and the one before it the latest", async () => {
  const { id, latest_version_id: first } = await skills.upload();
  const remove = (version: string) => skills.call("DELETE", `/${id}/versions/${version}`);
  const only = errorOf(await remove(first), 400, "last_skill_version");
  assert.match(only.message, /is the only one of its skill/);
  const second = await skills.addVersion(id, folder({ "pdf-forms/a": "a" }));
  assert.match(sentenceOf(await remove("latest"), 400), /^version: is deleted by its id/);
  errorOf(await remove("skillver_none"), 404);
  assert.deepEqual((await remove(second.id)).body, {
    id: second.id,
    type: "skill_version_deleted",
  });
  assert.equal((await skills.read(id)).latest_version_id, first);
  errorOf(await skills.call("GET", `/${id}/versions/${second.id}`), 404);
  errorOf(await skills.call("GET", `/${id}/versions/${second.id}/content`), 404);
  errorOf(await remove(second.id), 404);
  assert.deepEqual((await skills.call("DELETE", `/${id}`)).body, { id, type: "skill_deleted" });
  for (const path of ["", "/versions", "/versions/latest", `/versions/${first}/content`])
    errorOf(await skills.call("GET", `/${id}${path}`), 404);
  errorOf(await skills.call("DELETE", `/${id}`), 404);
  errorOf(await skills.tryVersion(id, folder()), 404);
});

test("[SKL12] skills are listed newest first, and others have none", async () => {
  const who = { key: house.organizations.other.api_key };
  const made: string[] = [];
  for (let at = 0; at < 3; at++) made.unshift((await skills.upload(folder(), {}, who)).id);
  const ids = async (query: Record<string, string | number>) =>
    (await skills.all<Skill>("", query, who)).map(({ id }) => id);
  assert.deepEqual(await ids({ limit: 1 }), made);
  assert.deepEqual(await ids({ source: "custom", limit: 2 }), made);
  assert.deepEqual(await ids({ source: "" }), made);
  for (const source of ["anthropic", "anthropic_example", "plugin"])
    assert.deepEqual(await ids({ source }), []);
  assert.match(sentenceOf(await skills.call("GET", "?source=mine", who), 400), /^source: /);
});

test("[SKL13] a skill of another workspace does not exist", async () => {
  const { platform, other } = house.organizations;
  const { id, latest_version_id } = await skills.upload();
  const elsewhere = await addWorkspace(house, platform.organization_id, "wrkspc_of_skills");
  const mine = await skills.upload(folder(), {}, { key: other.api_key });
  for (const stranger of [{ key: other.api_key }, { cookie: platform.cookie, ...elsewhere }]) {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/versions"],
      ["GET", "/versions/latest"],
      ["GET", `/versions/${latest_version_id}`],
      ["GET", `/versions/${latest_version_id}/content`],
      ["DELETE", `/versions/${latest_version_id}`],
    ] as const) {
      const { message } = errorOf(await skills.call(method, `/${id}${path}`, stranger), 404);
      assert.equal(message, `There is no skill ${id}.`);
    }
    errorOf(await skills.tryVersion(id, folder(), stranger), 404);
    const listed = await skills.all<Skill>("", {}, stranger);
    assert.ok(listed.every((skill) => skill.id !== id));
  }
  errorOf(
    await skills.call("GET", `/${mine.id}/versions/${latest_version_id}`, { key: other.api_key }),
    404,
  );
  assert.equal((await skills.read(id, { cookie: platform.cookie })).id, id);
});

test("[SKL14] uploads and deletions leave an event each", async () => {
  const { id, latest_version_id } = await skills.upload();
  const second = await skills.addVersion(id, folder({ "pdf-forms/a": "a" }));
  await skills.call("DELETE", `/${id}/versions/${second.id}`);
  await skills.call("DELETE", `/${id}/versions/${latest_version_id}`);
  await skills.call("DELETE", `/${id}`);
  const events = await eventsOf(house, house.organizations.platform, 4);
  assert.deepEqual(
    events.map(({ action, target }) => [action, (target as { id: string }).id]),
    [
      ["skill.deleted", id],
      ["skill_version.deleted", second.id],
      ["skill_version.created", second.id],
      ["skill.created", id],
    ],
  );
});

test("[SKL15] a workspace has as many skills as it may, and a skill as many versions", async () => {
  const { organization_id, workspace_id, api_key: key } = house.organizations.enterprise;
  const { id } = await skills.upload(folder(), {}, { key });
  const { db } = house.world;
  await db.tx(async (tx) => {
    await tx.query(sql`
      insert into skills (id, organization_id, workspace_id, name, display_name, seq, created_at,
        updated_at)
      select 'skill_' || n, ${organization_id}, ${workspace_id}, 'n', 'n', 0, now(), now()
      from generate_series(1, ${limits.skillsPerWorkspace - 2}) as n`);
    await tx.query(sql`
      insert into skill_versions (id, organization_id, workspace_id, skill_id, seq, description,
        sha256, created_at)
      select 'skillver_' || n, organization_id, workspace_id, skill_id, -n, description, sha256, now()
      from skill_versions, generate_series(1, ${limits.versionsPerSkill - 2}) as n
      where skill_id = ${id}`);
  });
  const codes = async (answers: Promise<{ status: number; body: unknown }>[], code: string) => {
    const refused = (await Promise.all(answers)).filter(({ status }) => status !== 200);
    assert.equal(refused.length, answers.length - 1);
    for (const answer of refused) errorOf(answer, 400, code);
  };
  const another = [1, 2].map(() => skills.tryUpload(folder(), {}, { key }));
  await codes(another, "skill_limit_exceeded");
  const more = [1, 2].map(() => skills.tryVersion(id, folder(), { key }));
  await codes(more, "skill_version_limit_exceeded");
});

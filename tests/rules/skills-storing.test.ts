// Rules SKL16 to SKL19: where the archives of skills lie, what they come to, and who reads them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { Failure } from "../../kernel/base/failure.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { readSkillFolder, resolveSkills, type SkillRef } from "../../server/skills/module.ts";
import { openHouse, type House } from "../house.ts";
import { errorOf } from "./memory-house.ts";
import { contentsOf, document, folder, skillsOf } from "./skills-house.ts";
import { hours } from "./support.ts";

const bytesMax = 1_200;
const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
let house: House;
before(async () => {
  const clock = { ...systemClock, now: () => wall.now() };
  house = await openHouse({ clock, sections: { skills: { organization_bytes_max: bytesMax } } });
});
after(() => house[Symbol.asyncDispose]());
const skills = skillsOf(() => house);
const clear = async () => {
  for (const { id } of await skills.all<{ id: string }>("")) await skills.call("DELETE", `/${id}`);
};

test("[SKL16] equal archives are stored once, and go with the last version", async () => {
  const one = await skills.upload();
  const [blob, ...more] = skills.blobs();
  assert.ok(blob !== undefined && more.length === 0);
  const bytes = await skills.stored();
  assert.ok(bytes > 0);
  const two = await skills.upload();
  const version = await skills.addVersion(one.id, folder());
  assert.deepEqual(skills.blobs(), [blob]);
  assert.equal(await skills.stored(), bytes);
  const other = { key: house.organizations.other.api_key };
  const stranger = await skills.upload(folder(), {}, other);
  assert.equal(skills.blobs().length, 2, "nothing is shared between organizations");
  await skills.call("DELETE", `/${stranger.id}`, other);
  await skills.call("DELETE", `/${two.id}`);
  await skills.call("DELETE", `/${one.id}/versions/${version.id}`);
  assert.deepEqual(skills.blobs(), [blob]);
  assert.deepEqual(Object.keys(await skills.contents(one.id)), ["pdf-forms/SKILL.md"]);
  await skills.call("DELETE", `/${one.id}`);
  assert.deepEqual(skills.blobs(), []);
  assert.equal(await skills.stored(), 0);
});

test("[SKL16] the quota is exact, also when many upload at once", async () => {
  await skills.upload();
  const bytes = await skills.stored();
  const names = Array.from({ length: 8 }, (_, at) => `pdf-form${at}`);
  const answers = await Promise.all(names.map((name) => skills.tryUpload(folder({}, name))));
  const refused = answers.filter(({ status }) => status !== 200);
  assert.ok(refused.length > 0 && refused.length < names.length, `${refused.length} refused`);
  for (const answer of refused) errorOf(answer, 400, "storage_quota_exceeded");
  const stored = await skills.stored();
  assert.ok(stored <= bytesMax && stored + bytes * 1.5 > bytesMax, `${stored} bytes stored`);
  assert.equal(skills.blobs().length, 1 + names.length - refused.length);
  const before = await skills.kept();
  errorOf(await skills.tryUpload(folder({}, "one-more")), 400, "storage_quota_exceeded");
  assert.deepEqual(await skills.kept(), before);
  await skills.upload(folder(), { display_name: "An archive that is there already" });
  await clear();
  assert.equal(await skills.stored(), 0);
});

test("[SKL17] blobs that no version knows are swept after an hour, and others never", async () => {
  const { id } = await skills.upload();
  const [blob] = skills.blobs();
  const { blobs, ids } = house.world;
  const { organization_id } = house.organizations.platform;
  const stray = ids.next("blob_");
  await blobs.put(`skills/${organization_id}/${stray.slice(-2)}/${stray}`, Buffer.from("x"));
  await skills.sweep();
  assert.equal(skills.blobs().length, 2, "it may be an upload under way");
  wall.advance(hours(1.1));
  await skills.sweep();
  assert.deepEqual(skills.blobs(), [blob]);
  assert.equal((await skills.download(id)).status, 200);
  await clear();
});

test("[SKL17] an archive that is lost is said to be so, and is there after the next upload", async () => {
  const { id } = await skills.upload();
  const [row] = await house.world.db.query<{ blob_id: string; organization_id: string }>(
    sql`select blob_id, organization_id from skill_contents`,
  );
  assert.ok(row);
  await house.world.blobs.delete(
    `skills/${row.organization_id}/${row.blob_id.slice(-2)}/${row.blob_id}`,
  );
  const lost = await skills.download(id);
  assert.equal(lost.status, 404);
  const body = (await lost.json()) as { error: { details: { error_code: string } } };
  assert.equal(body.error.details.error_code, "content_lost");
  await skills.upload();
  assert.equal((await skills.download(id)).status, 200);
  await clear();
});

test("[SKL18] skills are resolved in their order, to versions that are there", async () => {
  const { workspace_id } = house.organizations.platform;
  const { db } = house.world;
  const a = await skills.upload(folder({}, "a"));
  const b = await skills.upload({ "b/SKILL.md": document("b", "Of b.") });
  const next = await skills.addVersion(b.id, { "b/SKILL.md": document("b", "Of b, again.") });
  const ref = (skill_id: string, version?: string | null): SkillRef => ({
    type: "custom",
    skill_id,
    ...(version !== undefined && { version }),
  });
  const resolve = (refs: SkillRef[]) => resolveSkills(db, workspace_id, refs);
  const resolved = (skill_id: string, version: string, name: string, description: string) => ({
    type: "custom" as const,
    skill_id,
    version,
    name,
    description,
  });
  const latest = resolved(b.id, next.id, "b", "Of b, again.");
  assert.deepEqual(
    await resolve([
      ref(b.id, b.latest_version_id),
      ref(a.id),
      ref(b.id, "latest"),
      ref(b.id, null),
    ]),
    [
      resolved(b.id, b.latest_version_id, "b", "Of b."),
      resolved(a.id, a.latest_version_id, "a", "Fills forms."),
      latest,
      latest,
    ],
  );
  assert.deepEqual(await resolve([]), []);
  const wrong: [refs: SkillRef[], sentence: RegExp][] = [
    [
      [ref(a.id), { type: "anthropic", skill_id: "pdf" }],
      /^skills\.1\.skill_id: this server has no/,
    ],
    [[ref("skill_none")], /^skills\.0\.skill_id: there is no skill "skill_none" in this workspace/],
    [[ref(a.id, next.id)], /^skills\.0\.version: the skill skill_\w+ has no version/],
  ];
  for (const [refs, sentence] of wrong)
    await assert.rejects(resolve(refs), (error) => {
      assert.ok(error instanceof Failure && error.status === 400);
      assert.match(error.message, sentence);
      return true;
    });
  const { workspace_id: elsewhere } = house.organizations.other;
  await assert.rejects(resolveSkills(db, elsewhere, [ref(a.id)]), /there is no skill/);
  await skills.call("DELETE", `/${b.id}/versions/${next.id}`);
  await assert.rejects(resolve([ref(b.id, next.id)]), /has no version/);
  await clear();
});

test("[SKL19] a sandbox reads a version's archive, within the workspace alone", async () => {
  const { workspace_id } = house.organizations.platform;
  const { id: skillId, latest_version_id } = await skills.upload();
  for (const version of ["latest", latest_version_id]) {
    const read = await readSkillFolder(house.world, workspace_id, { skillId, version });
    const { archive, ...facts } = read;
    const bytes = await buffer(archive);
    assert.deepEqual(facts, {
      version: latest_version_id,
      name: "pdf-forms",
      description: "Fills forms.",
      bytes: bytes.length,
    });
    assert.deepEqual(await contentsOf(bytes), { "pdf-forms/SKILL.md": document() });
  }
  const { workspace_id: elsewhere } = house.organizations.other;
  for (const [workspaceId, version] of [
    [elsewhere, "latest"],
    [workspace_id, "skillver_none"],
  ] as const)
    await assert.rejects(
      readSkillFolder(house.world, workspaceId, { skillId, version }),
      (error) => error instanceof Failure && error.status === 404,
    );
  await clear();
});

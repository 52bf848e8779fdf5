// Skills as the unchanged client calls them, in both of its namespaces; and as its worker unpacks them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { extractSkillArchive } from "@anthropic-ai/sdk/tools/agent-toolset/skills";
import { openHouse, type House } from "../house.ts";
import { document } from "../rules/skills-house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const script = "#!/bin/sh\necho filled\n";
const filesOf = (description = "Fills forms.") =>
  Promise.all([
    toFile(Buffer.from(script), "pdf-forms/scripts/fill.sh"),
    toFile(Buffer.from(document("pdf-forms", description)), "pdf-forms/SKILL.md"),
  ]);

async function gathered<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of pages) all.push(item);
  return all;
}

test("skills: create, retrieve, list, delete, and their versions, in both namespaces", async () => {
  const { client } = listeningClient(house, { maxRetries: 2 });
  for (const skills of [client.skills, client.beta.skills]) {
    const made = await skills.create({ files: await filesOf(), display_name: "Forms" });
    assert.match(made.id, /^skill_/);
    assert.deepEqual(
      [made.type, made.display_name, made.source],
      ["skill", "Forms", { type: "custom" }],
    );
    assert.deepEqual(await skills.retrieve(made.id), made);
    await skills.create({ files: await filesOf() });
    const listed = await gathered(skills.list({ limit: 1 }) as AsyncIterable<{ id: string }>);
    assert.equal(listed.length, 2);
    assert.deepEqual(
      await gathered(skills.list({ source: "anthropic" }) as AsyncIterable<object>),
      [],
    );
    const { versions } = skills;
    const second = await versions.create(made.id, { files: await filesOf("Again.") });
    assert.deepEqual(
      [second.type, second.name, second.description],
      ["skill_version", "pdf-forms", "Again."],
    );
    assert.deepEqual(await versions.retrieve("latest", { skill_id: made.id }), second);
    const all = await gathered(
      versions.list(made.id, { limit: 1 }) as AsyncIterable<{ id: string }>,
    );
    assert.deepEqual(
      all.map(({ id }) => id),
      [second.id, made.latest_version_id],
    );
    const gone = await versions.delete(second.id, { skill_id: made.id });
    assert.deepEqual([gone.id, gone.type], [second.id, "skill_version_deleted"]);
    const last = versions.delete(made.latest_version_id, { skill_id: made.id });
    assert.match((await failing(Anthropic.BadRequestError, last)).message, /is the only one/);
    for (const { id } of listed)
      assert.deepEqual(await skills.delete(id), { id, type: "skill_deleted" });
    await failing(Anthropic.NotFoundError, skills.retrieve(made.id));
  }
});

const hasUnzip = (() => {
  try {
    execFileSync("unzip", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

test(
  "the client's worker unpacks what it downloads",
  { skip: !hasUnzip && "there is no unzip" },
  async () => {
    const { client } = listeningClient(house);
    const { skills } = client.beta;
    const { id, latest_version_id } = await skills.create({ files: await filesOf() });
    const response = await skills.versions.download(latest_version_id, { skill_id: id });
    const directory = mkdtempSync(join(tmpdir(), "plinth-skill-"));
    try {
      const place = join(directory, "pdf-forms");
      mkdirSync(place);
      await extractSkillArchive(response, place);
      assert.deepEqual(readdirSync(place).toSorted(), ["SKILL.md", "scripts"]);
      assert.equal(readFileSync(join(place, "SKILL.md"), "utf8"), document());
      const path = join(place, "scripts/fill.sh");
      assert.equal(readFileSync(path, "utf8"), script);
      assert.equal(statSync(path).mode & 0o777, 0o755);
      // What was downloaded can be uploaded as it is.
      const zip = await skills.versions.download("latest", { skill_id: id });
      const again = await skills.create({ files: [await toFile(zip, "pdf-forms.zip")] });
      const same = await skills.versions.retrieve("latest", { skill_id: again.id });
      assert.deepEqual([same.name, same.description], ["pdf-forms", "Fills forms."]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
);

// Rule SKL7, on archives that were broken in every way: each is a skill, or is refused and leaves nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { openHouse, type House } from "../house.ts";
import { tarOf, type Entry } from "../rules/memory-transfer-house.ts";
import { document, skillsOf, zipOf, type Skill } from "../rules/skills-house.ts";

const numRuns = process.env["PLINTH_TEST_LONG"] === undefined ? 150 : 3_000;

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const skills = skillsOf(() => house);

const entry: fc.Arbitrary<Entry> = fc
  .record({
    name: fc.constantFrom(
      "pdf/SKILL.md",
      "pdf/a.md",
      "pdf/A.md",
      "pdf/b/c",
      "pdf/../../c",
      "/pdf/d",
      "other/e",
      "pdf/caf\u00e9",
      "pdf/cafe\u0301",
      `pdf/${"long/".repeat(30)}name`,
      "__MACOSX/x",
    ),
    content: fc.constantFrom("", "one", document("pdf"), "x".repeat(1_500)),
    type: fc.constantFrom(
      "file" as const,
      "file" as const,
      "directory" as const,
      "symlink" as const,
    ),
  })
  .map(({ name, content, type }) =>
    type === "file" ? { name, content } : { name, type, linkname: "pdf/SKILL.md" },
  );

const good = { name: "pdf/SKILL.md", content: document("pdf") };
/** Half of them have files alone that a skill may have. */
const fine: fc.Arbitrary<Entry> = fc.record({
  name: fc.constantFrom("pdf/a.md", "pdf/b/c"),
  content: fc.constantFrom("", "one"),
});
const entries = fc
  .tuple(
    fc.oneof(
      fc.array(entry, { maxLength: 4 }),
      fc.uniqueArray(fine, { selector: ({ name }) => name }),
    ),
    fc.nat(4),
  )
  .map(([more, at]) => [...more.slice(0, at), good, ...more.slice(at)]);

/** Bytes that are changed, a piece that is cut out, and pieces that change places. */
const harm = fc.record({
  changed: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
  cut: fc.option(fc.tuple(fc.nat(), fc.nat(700)), { nil: undefined, freq: 2 }),
  turned: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
});
type Harm = typeof harm extends fc.Arbitrary<infer Value> ? Value : never;
const none: Harm = { changed: [], cut: undefined, turned: undefined };

function harmed(whole: Buffer, { changed, cut, turned }: Harm): Buffer {
  let bytes = Buffer.from(whole);
  for (const [at, byte] of changed) bytes[at % bytes.length] = byte;
  if (cut !== undefined) {
    const from = cut[0] % bytes.length;
    bytes = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + cut[1])]);
  }
  if (turned !== undefined && bytes.length > 0) {
    const at = turned % bytes.length;
    bytes = Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)]);
  }
  return bytes;
}

const packers = {
  tar: tarOf,
  gzip: async (all: readonly Entry[]) => gzipSync(await tarOf(all)),
  zip: (all: readonly Entry[]) =>
    zipOf(Object.fromEntries(all.map(({ name, content = "" }) => [name, String(content)]))),
};

test("[SKL7] [ARC1] [ARC2] whatever is done to an archive, it is a skill or is refused", async () => {
  const seen = { taken: 0, refused: 0 };
  let before = await skills.kept();
  const property = fc.asyncProperty(
    entries,
    fc.oneof({ weight: 3, arbitrary: harm }, { weight: 1, arbitrary: fc.constant(none) }),
    fc.constantFrom(...(["tar", "gzip", "zip"] as const)),
    async (all, how, packer) => {
      const { status, body } = await skills.tryArchive(harmed(await packers[packer](all), how));
      if (status === 200) {
        seen.taken += 1;
        const { id } = body as Skill;
        const names = Object.keys(await skills.contents(id));
        assert.ok(names.every((name) => /^pdf\/[^/]/.test(name) && !name.includes("..")));
        await skills.call("DELETE", `/${id}`);
        before = await skills.kept();
        return;
      }
      seen.refused += 1;
      assert.ok([400, 413].includes(status), `${status}: ${JSON.stringify(body)}`);
      assert.deepEqual(await skills.kept(), before);
    },
  );
  await fc.assert(property, { numRuns });
  assert.ok(seen.taken > 3 && seen.refused > 30, JSON.stringify(seen));
});

// Exports and imports of histories that nobody thought of: what comes back is what went out, as of one moment.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { Context } from "../../kernel/context.ts";
import { Failure } from "../../kernel/base/failure.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { createMemory, deleteMemory, updateMemory } from "../../server/memory/memories/service.ts";
import { indexWords } from "../../server/memory/search/index-words.ts";
import { deleteOldVersions } from "../../server/memory/stores/queries.ts";
import { createStore } from "../../server/memory/stores/service.ts";
import { exportedFiles } from "../../server/memory/transfer/export.ts";
import { importStore } from "../../server/memory/import/import.ts";
import { redactVersion } from "../../server/memory/versions.ts";
import { tarOf } from "../rules/memory-transfer-house.ts";
import { checkMemory } from "../simulation/memory-check.ts";
import { memoryPlace, workspaceId, type Place } from "./memory-place.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
let place: Place;
before(async () => {
  place = await memoryPlace({ worlds: 1 });
});
after(() => place[Symbol.asyncDispose]());

interface Write {
  act: "create" | "update" | "move" | "both";
  memory: number;
  path: number;
  text: string;
}
interface Removal {
  act: "delete" | "redact";
  memory: number;
}
type Step = Write | Removal;
const isWrite = (one: Step): one is Write => "text" in one;

const paths = [
  "/a",
  "/a/b",
  "/b/c/d",
  "/b/é.md",
  "/._x",
  "/DS/.DS_Store",
  "/\ufffd",
  "/long/" + "x".repeat(150),
  "/c'\"\\",
];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    act: fc.constantFrom(
      "create" as const,
      "create" as const,
      "update" as const,
      "move" as const,
      "both" as const,
    ),
    memory: fc.nat(5),
    path: fc.nat(paths.length - 1),
    text: fc.oneof(
      fc.constantFrom(
        "",
        "one",
        "two\r\n",
        "\ufeffmark",
        "\u0001\u0002",
        '{"type":"memory_version"}',
      ),
      fc
        .string({ unit: "grapheme", maxLength: 20 })
        .map((text) => text.toWellFormed().replaceAll("\0", "")),
    ),
  }),
  fc.record({ act: fc.constantFrom("delete" as const, "redact" as const), memory: fc.nat(5) }),
);

interface Lived {
  id: string;
  /** Of memories that lived at some time, in their order. */
  memories: string[];
}

async function live(context: Context): Promise<Lived> {
  const { id } = await createStore(context, {
    name: "Notes",
    description: "what we know",
    metadata: { team: "north" },
  });
  return { id, memories: [] };
}

/** False where the store refuses it. */
async function take(context: Context, { id, memories }: Lived, one: Step): Promise<boolean> {
  const memory_id = memories.at(one.memory % Math.max(1, memories.length)) ?? "none";
  const params = { memory_store_id: id, memory_id };
  try {
    if (!isWrite(one)) {
      if (one.act === "delete") await deleteMemory(context, params, undefined);
      else await redactOne(context, params);
    } else {
      const path = paths[one.path] ?? "/";
      if (one.act === "create")
        memories.push((await createMemory(context, id, { path, content: one.text }, {})).id);
      else
        await updateMemory(
          context,
          params,
          {
            ...(one.act !== "move" && { content: one.text }),
            ...(one.act !== "update" && { path }),
          },
          {},
        );
    }
    return true;
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return false;
    throw error;
  }
}

/** The newest version of it that may be redacted. */
async function redactOne(
  context: Context,
  { memory_store_id, memory_id }: { memory_store_id: string; memory_id: string },
): Promise<void> {
  const [version] = await context.db.query<{ id: string }>(sql`
    select id from memory_versions where memory_id = ${memory_id} and redacted_at is null
      and id not in (select version_id from memories) order by seq desc limit 1`);
  const memory_version_id = version?.id ?? "none";
  await redactVersion(context, { memory_store_id, memory_version_id }, { reason: "a name" });
}

/** A month later, when old versions have gone. */
async function age(context: Context, storeId: string): Promise<void> {
  const { db, clock } = context;
  await db.query(sql`update memory_versions set created_at = created_at - interval '31 days',
    redacted_at = redacted_at - interval '31 days' where store_id = ${storeId}`);
  await db.query(sql`update memories set created_at = created_at - interval '31 days',
    updated_at = updated_at - interval '31 days' where store_id = ${storeId}`);
  const before = new Date(clock.now().getTime() - 30 * 24 * 60 * 60 * 1000);
  const from = { at: "-infinity", seq: 0 };
  await db.tx((tx) => deleteOldVersions(tx, workspaceId, { storeId, before, from }));
}

async function exported(context: Context, storeId: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const { name, bytes } of exportedFiles(context, storeId))
    files.set(name, bytes.toString("utf8"));
  return files;
}

/** Without what is made anew, and memories named by the order in which they come. */
function comparable(files: ReadonlyMap<string, string>): [string, unknown][] {
  const names = new Map<string, number>();
  const fresh = [
    "id",
    "memory_store_id",
    "imported_at",
    "imported_by",
    "created_at",
    "exported_at",
  ];
  return [...files].map(([name, text]): [string, unknown] => {
    if (name.startsWith("memories/")) return [name, text];
    const value = JSON.parse(text) as Record<string, unknown>;
    const memoryId = String(value["memory_id"]);
    if (!names.has(memoryId)) names.set(memoryId, names.size);
    const kept = name === "store.json" ? fresh : fresh.filter((field) => field !== "created_at");
    const rest = Object.entries(value).filter(([field]) => !kept.includes(field));
    return [name, { ...Object.fromEntries(rest), memory_id: names.get(memoryId) }];
  });
}

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const packing = fc.record({
  /** In the order in which a file system lists them. */
  shuffled: fc.option(fc.integer(), { nil: undefined }),
  folder: fc.constantFrom("", "./", "notes/", "./notes/"),
  gzip: fc.boolean(),
  chunk: fc.constantFrom(1, 511, 512, 65_536),
});

test("[MEM41] an export comes back as the same history and files, however it is packed", async () => {
  const seen = { versions: 0, redacted: 0, swept: 0 };
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 60, size: "max" }),
    fc.boolean(),
    packing,
    async (steps, isOld, { shuffled, folder, gzip, chunk }) => {
      const context = place.at(0);
      const lived = await live(context);
      for (const one of steps) await take(context, lived, one);
      const full = await exported(context, lived.id);
      if (isOld) await age(context, lived.id);
      const files = await exported(context, lived.id);
      if (files.size < full.size) seen.swept += 1;
      const entries = [...files].map(([name, content]) => ({ name: folder + name, content }));
      if (shuffled !== undefined) entries.sort(byHash(shuffled));
      const tar = await tarOf(entries);
      const body = chunks(gzip ? gzipSync(tar) : tar, chunk);
      const { id, imported } = await importStore(context, {}, body);
      const again = await exported(context, id);
      assert.deepEqual(comparable(again), comparable(files));
      const names = [...files.keys()];
      seen.versions += imported.versions;
      seen.redacted += files
        .values()
        .filter((text) => text.includes('"a name"'))
        .toArray().length;
      assert.deepEqual(
        { ...imported, skipped: imported.skipped.length },
        {
          memories: names.filter((name) => name.startsWith("memories/")).length,
          versions: names.filter((name) => name.startsWith("history/")).length,
          skipped: names.filter((name) => /\._x|\.DS_Store/.test(name)).length,
        },
      );
    },
  );
  await fc.assert(property, { numRuns: isLong ? 400 : 40 });
  assert.ok(seen.versions > 100 && seen.redacted > 5 && seen.swept > 2, JSON.stringify(seen));
  await indexWords(place.at(0), null, new AbortController().signal);
  await checkMemory(place.observer, { swept: true, imported: true });
});

const byHash = (seed: number) => (a: { name: string }, b: { name: string }) =>
  hash(a.name, seed) - hash(b.name, seed) || (a.name < b.name ? -1 : 1);
const hash = (text: string, seed: number) =>
  Array.from(text).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, seed);

interface Known {
  id: string;
  memory_id: string;
  path: string;
  content: string | null;
  seq: number;
}

/** Versions as they were written, whatever becomes of them. */
async function learn({ db }: Context, storeId: string, known: Known[]): Promise<void> {
  const seq = known.at(-1)?.seq ?? 0;
  known.push(
    ...(await db.query<Known>(sql`
      select id, memory_id, path, content, seq from memory_versions
      where store_id = ${storeId} and seq > ${seq} order by seq`)),
  );
}

function filesAt(known: readonly Known[]): Map<string, string> {
  const heads = new Map<string, Known>();
  for (const version of known)
    if (version.content === null) heads.delete(version.memory_id);
    else heads.set(version.memory_id, version);
  return new Map(heads.values().map(({ path, content }) => [`memories${path}`, content ?? ""]));
}

const moments = (steps: fc.Arbitrary<Step>) =>
  fc.array(fc.array(steps, { maxLength: 4, size: "max" }), { maxLength: 60, size: "max" });

test("[MEM42] an export is of one moment, whatever is written, deleted and redacted meanwhile", async () => {
  const seen = { whole: 0, later: 0, torn: 0, redacted: 0 };
  const steps = fc.array(step, { maxLength: 40, size: "max" });
  const property = fc.asyncProperty(
    steps,
    fc.oneof(moments(step), moments(step.filter(({ act }) => act !== "redact"))),
    async (past, meanwhile) => {
      const context = place.at(0);
      const lived = await live(context);
      const known: Known[] = [];
      const act = async (one: Step) => {
        // So long that a page of an export holds eleven of them.
        const text = isWrite(one) && one.text.length > 1 ? one.text.padEnd(90_000, "_") : "";
        await take(context, lived, isWrite(one) ? { ...one, text } : one);
        await learn(context, lived.id, known);
      };
      for (const one of past) await act(one);
      const atStart = known.length;
      const files = new Map<string, string>();
      try {
        for await (const { name, bytes } of exportedFiles(context, lived.id)) {
          files.set(name, bytes.toString("utf8"));
          for (const one of meanwhile[files.size] ?? []) await act(one);
        }
      } catch (error) {
        assert.ok(error instanceof Failure && error.status === 503, String(error));
        seen.torn += 1;
        return;
      }
      const history = [...files].filter(([name]) => name.startsWith("history/"));
      const records = history.map(
        ([, text]) => JSON.parse(text) as Known & { redacted_at: unknown },
      );
      const before = known.slice(0, records.length);
      assert.ok(records.length >= atStart);
      // Nothing but a redaction makes it go on.
      if (!meanwhile.flat().some(({ act: what }) => what === "redact"))
        assert.equal(records.length, atStart);
      assert.deepEqual(
        records.map(({ id }) => id),
        before.map(({ id }) => id),
      );
      const memories = [...files].filter(([name]) => name.startsWith("memories/"));
      assert.deepEqual(new Map(memories), filesAt(before));
      if (records.length > atStart) seen.later += 1;
      else seen.whole += 1;
      seen.redacted += records.filter(({ redacted_at }) => redacted_at !== null).length;
      const tar = await tarOf([...files].map(([name, content]) => ({ name, content })));
      const { imported } = await importStore(context, {}, chunks(tar, 65_536));
      assert.equal(imported.versions, records.length);
    },
  );
  await fc.assert(property, { numRuns: isLong ? 300 : 30 });
  assert.ok(seen.whole > 3 && seen.redacted > 3, JSON.stringify(seen));
  assert.ok(seen.torn < seen.whole, JSON.stringify(seen));
});

test("[MEM42] where the text of a head is gone, the export goes on to a later moment", async () => {
  const context = place.at(0);
  const lived = await live(context);
  const make = (path: number, text: string) =>
    take(context, lived, { act: "create", memory: 0, path, text: text.repeat(100_000) });
  for (const [at, text] of ["a", "b", "c"].entries()) await make(at + 2, text);
  const files: [string, string][] = [];
  for await (const { name, bytes } of exportedFiles(context, lived.id)) {
    files.push([name, bytes.toString("utf8").slice(0, 1)]);
    if (name !== "history/00000003.json") continue;
    await take(context, lived, { act: "update", memory: 1, path: 0, text: "new" });
    await take(context, lived, { act: "redact", memory: 1 });
    await take(context, lived, { act: "delete", memory: 0 });
  }
  assert.deepEqual(files.slice(4), [
    ["history/00000004.json", "{"],
    ["history/00000005.json", "{"],
    ["memories/._x", "c"],
    ["memories/b/é.md", "n"],
  ]);
});

test("[MEM42] where a memory went with all its versions, the export goes on to a later moment", async () => {
  const context = place.at(0);
  const { id } = await live(context);
  const make = async (path: string, content: string) =>
    (await createMemory(context, id, { path, content }, {})).id;
  for (let number = 10; number < 22; number++) await make(`/${number}`, "x".repeat(100_000));
  const last = await make("/last", "goes with its versions");
  const names: string[] = [];
  for await (const { name } of exportedFiles(context, id)) {
    names.push(name);
    if (name !== "history/00000001.json") continue;
    await make("/between", "before that");
    await deleteMemory(context, { memory_store_id: id, memory_id: last }, undefined);
    await context.db.query(sql`delete from memory_versions where memory_id = ${last}`);
  }
  assert.ok(names.includes("memories/between"));
  assert.ok(!names.includes("memories/last"));
});

test("[MEM42] an export breaks off rather than hold a file of a memory that has gone", async () => {
  const context = place.at(0);
  const { id } = await live(context);
  const ids: string[] = [];
  for (let number = 10; number < 25; number++) {
    const memory = { path: `/${number}`, content: String(number).repeat(50_000) };
    ids.push((await createMemory(context, id, memory, {})).id);
  }
  const params = (at: number) => ({ memory_store_id: id, memory_id: ids[at] ?? "" });
  const names: string[] = [];
  const reading = async () => {
    for await (const { name } of exportedFiles(context, id)) {
      names.push(name);
      if (name !== "memories/10") continue;
      await deleteMemory(context, params(0), undefined);
      await updateMemory(context, params(14), { content: "new" }, {});
      await redactOne(context, params(14));
    }
  };
  await assert.rejects(reading, { status: 503, message: /export it again\.$/ });
  assert.equal(names.at(-1), "history/00000017.json");
});

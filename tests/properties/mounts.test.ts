// Two sessions and a client of the API write one memory store at the same time: no write is lost, none is overwritten
// by someone who has not seen it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { sql } from "../../kernel/sql/statement.ts";
import { prepareMounts, syncMounts } from "../../server/sessions/sandbox/mounts/mounts.ts";
import { openHouse, type House } from "../house.ts";
import { type Memory, memoryOf, type Page, type Store } from "../rules/memory-house.ts";
import { type MountedTest, mountsOf } from "../rules/mounts-house.ts";
import { sessionsOf } from "../rules/sessions-house.ts";

const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;
let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const paths = ["/a", "/b", "/c/d", "/c"] as const;
type Path = (typeof paths)[number];
type Step =
  | { who: 0 | 1; act: "write" | "delete"; path: Path }
  | { who: 0 | 1; act: "prepare" | "sync" }
  | { who: "client"; act: "write" | "delete"; path: Path };

const path = fc.constantFrom(...paths);
const act = fc.constantFrom("write", "write", "delete" as const);
const session = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ who: session, act, path }) },
  { weight: 3, arbitrary: fc.record({ who: session, act: fc.constantFrom("prepare", "sync") }) },
  { weight: 3, arbitrary: fc.record({ who: fc.constant("client" as const), act, path }) },
);
/** Those of one group are begun at the same time. */
const story = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), {
  minLength: 2,
  maxLength: 14,
});

/** What a session's agent has had before its eyes, and what it wrote; texts are all different. */
interface Author {
  at: MountedTest;
  root: string;
  seen: Set<string>;
  /** Written, and neither overwritten nor deleted by itself before it was taken in. */
  pending: Map<Path, string>;
  promised: Set<string>;
}

const fileOf = ({ root }: Author, place: Path) => `${root}${place}`;

/** Looks first, as whoever overwrites a file can. */
async function actIn(
  author: Author,
  { act, path: place }: { act: string; path: Path },
  text: string,
) {
  const file = fileOf(author, place);
  const line =
    act === "delete"
      ? `cat ${file} && rm ${file}`
      : `cat ${file}; { [ -d ${file} ] && exit; mkdir -p $(dirname ${file}) && printf ${text} >${file} && printf ' done'; }`;
  const said = await author.at.say(`{ ${line}; } 2>/dev/null`);
  const isDone = act === "write" && said.endsWith("done");
  const before = said.replace(/ ?done$/, "");
  if (before !== "") author.seen.add(before);
  if (act === "delete" && before !== "") author.pending.delete(place);
  if (!isDone) return;
  author.seen.add(text);
  author.pending.set(place, text);
}

async function run(groups: readonly (readonly Step[])[], store: Store, authors: readonly Author[]) {
  const memory = memoryOf(() => house);
  let written = 0;
  const client = async (place: Path, act: string, text: string) => {
    const { data } = await memory.good<Page<Memory>>("GET", `/${store.id}/memories`);
    const found = data.find((each) => each.path === place);
    const one = `/${store.id}/memories/${found?.id}`;
    // It may be gone by then, or its path be taken: what it answers is the client's to see.
    if (act === "delete") return found && memory.call("DELETE", one);
    const body = found === undefined ? { path: place, content: text } : { content: text };
    return memory.call("POST", found === undefined ? `/${store.id}/memories` : one, { body });
  };
  for (const group of groups) {
    const onFiles = group.filter((each) => each.who !== "client" && "path" in each);
    for (const each of onFiles) {
      const author = authors[each.who as number];
      if (author !== undefined && "path" in each) await actIn(author, each, `text${written++}`);
    }
    await Promise.all(
      group.map(async (each) => {
        if (each.who === "client") return client(each.path, each.act, `text${written++}`);
        const author = authors[each.who];
        if ("path" in each || author === undefined) return undefined;
        const promised = [...author.pending.values()];
        if (each.act === "prepare")
          await prepareMounts(author.at.mounts, new AbortController().signal);
        else await syncMounts(author.at.mounts);
        promised.forEach((text) => author.promised.add(text));
        author.pending.clear();
        return undefined;
      }),
    );
  }
}

async function check(store: Store, authors: readonly Author[]): Promise<void> {
  // Once more each, until neither has anything new for the other.
  for (const { at } of [...authors, ...authors]) await at.call("true");
  const versions = await house.world.db.query<{
    memoryId: string;
    content: string | null;
    operation: string;
    actorId: string;
  }>(sql`
    select memory_id as "memoryId", content, operation, actor_id as "actorId" from memory_versions
    where store_id = ${store.id} order by seq`);
  const texts = new Set(versions.map(({ content }) => content));
  const heads = new Map<string, string | null>();
  for (const { memoryId, content, operation, actorId } of versions) {
    const author = authors.find(({ at }) => at.session.id === actorId);
    const before = heads.get(memoryId);
    if (author !== undefined && operation !== "created")
      assert.ok(author.seen.has(before ?? ""), `${actorId} has not seen ${before}`);
    heads.set(memoryId, content);
  }
  const list = async ({ at, root }: Author) =>
    at.say(`cd ${root} && find . -type f | sort | while read f; do echo "$f $(cat $f)"; done`);
  const live = await house.world.db.query<{ path: string; content: string }>(sql`
    select memory.path, version.content from memories as memory
      join memory_versions as version on version.id = memory.version_id
    where memory.store_id = ${store.id} order by memory.path`);
  const expected = live.map(({ path: place, content }) => `.${place} ${content}\n`).join("");
  for (const author of authors) {
    assert.equal(await list(author), expected, "both sides are the same in the end");
    const kept = await author.at.say("cd /workspace; grep -rhoE 'text[0-9]+' . 2>/dev/null");
    const aside = new Set(kept.split("\n"));
    const lost = [...author.promised].filter((text) => !texts.has(text) && !aside.has(text));
    assert.deepEqual(lost, [], "what was written is in the store, or kept aside");
  }
}

test("[SES81] [SES82] no write is lost, and none is overwritten unseen", async () => {
  const it = sessionsOf(() => house);
  const memory = memoryOf(() => house);
  const { id: environment_id } = await it.environment("cloud");
  const { id: agent } = await it.agent();
  await fc.assert(
    fc.asyncProperty(story, async (groups) => {
      const store = await memory.good<Store>("POST", "", { body: { name: "shared" } });
      const resources = [{ type: "memory_store", memory_store_id: store.id }];
      const authors: Author[] = [];
      for (let n = 0; n < 2; n++) {
        const { id } = await it.begin({ agent, environment_id, resources });
        const at = await mountsOf(house.world, id);
        await at.prepare();
        const own = { seen: new Set<string>(), pending: new Map(), promised: new Set<string>() };
        authors.push({ at, root: "/mnt/memory/shared", ...own });
      }
      try {
        await run(groups, store, authors);
        await check(store, authors);
      } finally {
        for (const { at } of authors) at[Symbol.dispose]();
      }
    }),
    { numRuns: isLong ? 300 : 8 },
  );
});

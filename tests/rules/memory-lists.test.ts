// Rules MEM14 and MEM15, over HTTP: what lists hold, page by page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Memory, type MemoryHouse, openMemoryHouse, type Page } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let m: MemoryHouse;
before(async () => {
  m = await openMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

async function storeWith(paths: readonly string[], text = "text"): Promise<string> {
  const { id } = await m.store();
  await Promise.all(paths.map((path) => m.create(id, path, text)));
  return id;
}

const numbered = (count: number, before = "/m") =>
  Array.from({ length: count }, (_, at) => `${before}${String(at).padStart(3, "0")}`);

const page = (store: string, query: string) =>
  m.good<Page<Memory>>("GET", `/${store}/memories?${query}`);

test("[MEM14] one memory comes with its text, everything else without it, unless view says otherwise", async () => {
  const [id, text] = [await storeWith([]), "text"];
  const at = `/${id}/memories`;
  const body = { path: "/a", content: text };
  const made = await m.good<Memory>("POST", at, { body });
  assert.equal(made.content, null);
  assert.equal((await m.good<Memory>("GET", `${at}/${made.id}`)).content, text);
  assert.equal((await m.good<Memory>("GET", `${at}/${made.id}?view=basic`)).content, null);
  const full = await m.good<Memory>("POST", `${at}?view=full`, { body: { ...body, path: "/b" } });
  assert.equal(full.content, text);
  const change = (query: string, wanted: object) =>
    m.good<Memory>("POST", `${at}/${made.id}${query}`, { body: wanted });
  assert.equal((await change("", { content: "two" })).content, null);
  assert.equal((await change("?view=full", { content: "three" })).content, "three");
  assert.equal((await change("?view=full", { content: "three" })).content, "three");
  assert.equal((await change("?view=full", { path: "/c" })).content, "three");
  assert.equal((await change("?view=full", {})).content, "three");
  const contents = async (query: string) =>
    (await page(id, query)).data.map(({ content }) => content);
  assert.deepEqual(await contents(""), [null, null]);
  assert.deepEqual(await contents("view=basic"), [null, null]);
  assert.deepEqual(await contents("view=full"), [text, "three"]);
  const versions = `/${id}/memory_versions`;
  const first = `${versions}/${made.memory_version_id}`;
  assert.equal((await m.good<Memory>("GET", first)).content, text);
  assert.equal((await m.good<Memory>("GET", `${first}?view=basic`)).content, null);
  const listed = async (query: string) =>
    (await m.good<Page<Memory>>("GET", `${versions}${query}`)).data.map(({ content }) => content);
  assert.deepEqual(await listed(""), [null, null, null, null, null]);
  assert.deepEqual(await listed("?view=full"), ["three", "three", "two", text, text]);
  for (const path of [at, `${at}/${made.id}`, versions, first])
    assert.match(sentenceOf(await m.call("GET", `${path}?view=all`), 400), /^view: /);
});

test("[MEM14] a page has 20 items unless more are asked for: up to 100, and with texts up to 20", async () => {
  const id = await storeWith(numbered(101));
  for (const list of ["memories", "memory_versions"]) {
    const sizes: [query: string, items: number][] = [
      ["", 20],
      ["limit=1", 1],
      ["limit=100", 100],
      ["limit=101", 100],
      ["limit=100000", 100],
      ["view=full", 20],
      ["view=full&limit=7", 7],
      ["view=full&limit=21", 20],
      ["view=full&limit=100", 20],
    ];
    for (const [query, items] of sizes) {
      const { data, next_page } = await m.good<Page<Memory>>("GET", `/${id}/${list}?${query}`);
      assert.equal(data.length, items, `${list} ${query}`);
      assert.notEqual(next_page, null);
    }
  }
  const flat = await m.all<Memory>(`/${id}/memories`, { limit: 100 });
  assert.deepEqual(
    flat.map(({ data }) => data.length),
    [100, 1],
  );
  const whole = await m.all<Memory>(`/${id}/memories`, { limit: 100, view: "full" });
  assert.deepEqual(
    whole.map(({ data }) => data.length),
    [20, 20, 20, 20, 20, 1],
  );
});

/** In the order of their bytes, with what stands just before and after a folder. */
const tree = [
  "/!",
  "/A",
  "/a!",
  "/a/b!x",
  "/a/b/c/d",
  "/a/b/e",
  "/a/b0",
  "/a/bc",
  "/a/é",
  "/a/😀/x",
  "/a0",
  "/ab",
  "/é/x",
  "/é/y",
];

const shown = (items: readonly Memory[]) =>
  items.map(({ type, path }) => (type === "memory_prefix" ? `${path} …` : path));

const lists: readonly (readonly [query: Record<string, string | number>, items: string[]])[] = [
  [{}, tree],
  [{ depth: 0 }, tree],
  [{ path_prefix: "/" }, tree],
  [{ path_prefix: "/a/" }, tree.slice(3, 10)],
  [{ path_prefix: "/a/b/" }, ["/a/b/c/d", "/a/b/e"]],
  [{ path_prefix: "/a/b/e/" }, []],
  [{ path_prefix: "/nothing/" }, []],
  [{ depth: 1 }, ["/!", "/A", "/a!", "/a/ …", "/a0", "/ab", "/é/ …"]],
  [{ depth: 1, path_prefix: "/a/" }, ["/a/b!x", "/a/b/ …", "/a/b0", "/a/bc", "/a/é", "/a/😀/ …"]],
  [{ depth: 1, path_prefix: "/a/b/" }, ["/a/b/c/ …", "/a/b/e"]],
  [{ depth: 1, path_prefix: "/é/" }, ["/é/x", "/é/y"]],
  [{ depth: 1, path_prefix: "/a/b/e/" }, []],
];

test("[MEM15] a list holds what lies below the prefix, by path, in pages of any size", async () => {
  const id = await storeWith(tree.toReversed());
  for (const view of ["basic", "full"])
    for (const [query, items] of lists)
      for (const limit of [1, 2, 3, 20]) {
        const said = JSON.stringify({ ...query, limit, view });
        const pages = await m.all<Memory>(`/${id}/memories`, { ...query, limit, view });
        const found = pages.flatMap(({ data }) => data);
        assert.deepEqual(shown(found), items, said);
        assert.ok(
          pages.slice(0, -1).every(({ data }) => data.length === limit),
          `${said}: a page before the last is not full`,
        );
        assert.equal(pages.length, Math.max(1, Math.ceil(items.length / limit)), said);
        const texts = found.filter(({ type }) => type === "memory").map(({ content }) => content);
        assert.ok(
          texts.every((content) => content === (view === "full" ? "text" : null)),
          said,
        );
      }
});

test("[MEM15] a folder counts as one item, however much is in it", async () => {
  const id = await storeWith([...numbered(60, "/big/"), ...numbered(30, "/wide"), "/z/deep/er"]);
  const { data } = await page(id, "depth=1&limit=100");
  assert.equal(data.length, 32);
  assert.deepEqual(data[0], { type: "memory_prefix", path: "/big/" } as never);
  const first = await page(id, "depth=1&limit=2");
  assert.deepEqual(shown(first.data), ["/big/ …", "/wide000"]);
});

test("[MEM15] a page goes on where the last one ended, whatever was written meanwhile", async () => {
  const id = await storeWith(["/a", "/c/x", "/e", "/g"]);
  for (const query of ["depth=0&limit=2", "depth=1&limit=2"]) {
    const first = await page(id, query);
    const early = await m.create(id, "/b", "");
    const late = await m.create(id, "/f", "");
    const inside = await m.create(id, "/c/y", "");
    const next = encodeURIComponent(first.next_page ?? "");
    const second = await page(id, `${query.replace("limit=2", "limit=100")}&page=${next}`);
    const expected = query.startsWith("depth=0") ? ["/c/y", "/e", "/f", "/g"] : ["/e", "/f", "/g"];
    assert.deepEqual(shown(second.data), expected, query);
    for (const memory of [early, late, inside]) await m.remove(id, memory.id);
  }
});

test("[MEM15] a page belongs to its list: another store, prefix or depth has another", async () => {
  const id = await storeWith(tree);
  const other = await storeWith(tree);
  const next = encodeURIComponent((await page(id, "limit=1&path_prefix=/a/")).next_page ?? "");
  await page(id, `limit=5&path_prefix=/a/&view=full&page=${next}`);
  const wrong = [
    `/${other}/memories?path_prefix=/a/&page=${next}`,
    `/${id}/memories?page=${next}`,
    `/${id}/memories?path_prefix=/a/&depth=1&page=${next}`,
    `/${id}/memory_versions?page=${next}`,
  ];
  for (const path of wrong) assert.match(sentenceOf(await m.call("GET", path), 400), /^page: /);
});

test("[MEM15] what is no prefix and no depth is named", async () => {
  const id = await storeWith(["/a"]);
  const wrong: [query: string, sentence: RegExp][] = [
    ["path_prefix=/a", /^path_prefix: must end with "\/"/],
    ["path_prefix=a/", /^path_prefix: must start with "\/"/],
    ["path_prefix=//", /^path_prefix: must have no empty segment/],
    ["path_prefix=/a/../", /^path_prefix: must have no segment "\.\."/],
    [`path_prefix=/ne%CC%81/`, /^path_prefix: .*Normalization Form C/],
    [`path_prefix=/${"a".repeat(1_024)}/`, /^path_prefix: must have at most 1024 bytes/],
    ["depth=2", /^depth: /],
    ["depth=-1", /^depth: /],
    ["depth=all", /^depth: /],
  ];
  for (const [query, sentence] of wrong)
    assert.match(sentenceOf(await m.call("GET", `/${id}/memories?${query}`), 400), sentence);
});

test("[MEM15] a path names the one memory that lies exactly there", async () => {
  const id = await storeWith(["/a", "/a.md", "/b/c"]);
  const paths = async (query: string) => (await page(id, query)).data.map(({ path }) => path);
  assert.deepEqual(await paths("path=/a"), ["/a"]);
  assert.deepEqual(await paths("path=/b/c"), ["/b/c"]);
  assert.deepEqual(await paths("path=/b"), []);
  const both = await m.call("GET", `/${id}/memories?path=/a&path_prefix=/b/`);
  assert.match(sentenceOf(both, 400), /^path: cannot stand beside path_prefix/);
  assert.match(sentenceOf(await m.call("GET", `/${id}/memories?path=a`), 400), /^path: /);
});

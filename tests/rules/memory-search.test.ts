// Rule MEM28, over HTTP: what the console's search finds, and what it shows of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Ask } from "../house.ts";
import { addWorkspace, type MemoryHouse, openMemoryHouse, queryOf } from "./memory-house.ts";
import { sentenceOf } from "./support.ts";

let m: MemoryHouse;
before(async () => {
  m = await openMemoryHouse();
});
after(() => m[Symbol.asyncDispose]());

interface Match {
  memory_id: string;
  memory_store_id: string;
  store_name: string;
  path: string;
  snippet: { text: string; is_match: boolean }[];
}

let workspaces = 0;
/** A workspace of its own: what another test wrote is not found in it. */
async function place(texts: Record<string, string>) {
  const { organization_id, cookie } = m.platform;
  const id = `wrkspc_search_${++workspaces}`;
  const asking: Ask = { cookie, ...(await addWorkspace(m.house, organization_id, id)) };
  const { id: store } = await m.store(asking);
  const ids: Record<string, string> = {};
  for (const [path, text] of Object.entries(texts))
    ids[path] = (await m.create(store, path, text, asking)).id;
  const ask = (q: string, more: Record<string, string | number> = {}) =>
    m.house.ask("GET", `/console/api/memory/search${queryOf({ q, ...more })}`, asking);
  const matches = async (q: string, more = {}): Promise<Match[]> => {
    const { status, body } = await ask(q, more);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as Match[];
  };
  const find = async (q: string, more = {}) => (await matches(q, more)).map(({ path }) => path);
  return { store, ids, asking, ask, matches, find };
}

const sorted = (paths: readonly string[]) => paths.toSorted();

test("[MEM28] words are found in texts and paths, whole, at the start, quoted, either, and not", async () => {
  const { find } = await place({
    "/recipes/bread.md": "Flour, water and salt. Bake the bread for an hour.",
    "/recipes/soup.md": "Water, salt, carrots. Cook for an hour.",
    "/people/Ada.md": "Ada likes soup and Größenordnungen.",
    "/empty": "",
    "/mixed": "日本語のメモ; привет, мир; مرحبا; नमस्ते",
  });
  const lists: [q: string, paths: string[]][] = [
    ["flour", ["/recipes/bread.md"]],
    ["FLOUR", ["/recipes/bread.md"]],
    ["water salt", ["/recipes/bread.md", "/recipes/soup.md"]],
    ["flour carrots", []],
    ["flour or carrots", ["/recipes/bread.md", "/recipes/soup.md"]],
    ["salt -carrots", ["/recipes/bread.md"]],
    ['"water and salt"', ["/recipes/bread.md"]],
    ['"salt and water"', []],
    ["wat", ["/recipes/bread.md", "/recipes/soup.md"]],
    ["wat salt", []],
    ["größen", ["/people/Ada.md"]],
    ["gro\u0308ßen", ["/people/Ada.md"]],
    ["日本語", ["/mixed"]],
    ["本語", ["/mixed"]],
    ["メモ", ["/mixed"]],
    ["привет", ["/mixed"]],
    ["ПРИВ", ["/mixed"]],
    ["مرحبا", ["/mixed"]],
    ["नमस्ते", ["/mixed"]],
    ["empty", ["/empty"]],
    ["recipes", ["/recipes/bread.md", "/recipes/soup.md"]],
    ["nothing", []],
    ["' & | ! :* <->", []],
    ["%", []],
  ];
  for (const [q, paths] of lists) assert.deepEqual(sorted(await find(q)), sorted(paths), q);
  assert.deepEqual(await find("soup"), ["/recipes/soup.md", "/people/Ada.md"]);
});

test("[MEM28] what is found is what stands there now, in this workspace and not in others", async () => {
  const one = await place({ "/a": "kestrel" });
  const two = await place({ "/b": "kestrel" });
  const { store, ids, asking } = one;
  assert.deepEqual(await one.find("kestrel"), ["/a"]);
  assert.deepEqual(await two.find("kestrel"), ["/b"]);
  await m.update(store, ids["/a"] ?? "", { content: "heron" }, asking);
  assert.deepEqual(await one.find("kestrel"), []);
  assert.deepEqual(await one.find("heron"), ["/a"]);
  await m.update(store, ids["/a"] ?? "", { path: "/moved" }, asking);
  assert.deepEqual(await one.find("heron"), ["/moved"]);
  assert.deepEqual(await one.find("moved"), ["/moved"]);
  const other = await m.store(asking);
  await m.create(other.id, "/c", "heron", asking);
  assert.deepEqual(sorted(await one.find("heron")), ["/c", "/moved"]);
  assert.deepEqual(await one.find("heron", { memory_store_id: other.id }), ["/c"]);
  assert.deepEqual(await one.find("kestrel", { memory_store_id: two.store }), []);
  await m.remove(store, ids["/a"] ?? "", asking);
  assert.deepEqual(await one.find("heron"), ["/c"]);
  await m.good("POST", `/${other.id}/archive`, asking);
  assert.deepEqual(await one.find("heron"), ["/c"]);
  await m.good("DELETE", `/${other.id}`, asking);
  assert.deepEqual(await one.find("heron"), []);
});

test("[MEM28] the text around what was found is shown, and what of it matches", async () => {
  const long = `${"before ".repeat(100)}the kestrel sat. ${"after ".repeat(100)}`;
  const { matches, store, ids } = await place({
    "/kites": long,
    "/<b>": "a <b>kestrel</b> & more",
  });
  const found = await matches("kestrel");
  assert.equal(found.length, 2);
  for (const { snippet, memory_store_id, store_name } of found) {
    assert.deepEqual([memory_store_id, store_name], [store, "notes"]);
    assert.deepEqual(
      snippet.filter(({ is_match }) => is_match).map(({ text }) => text),
      ["kestrel"],
    );
    assert.ok(snippet.map(({ text }) => text).join("").length < 250);
  }
  const plain = found.find(({ path }) => path === "/<b>");
  assert.equal(plain?.snippet.map(({ text }) => text).join(""), "a <b>kestrel</b> & more");
  assert.equal(plain?.memory_id, ids["/<b>"]);
  const [byPath] = await matches("kites");
  assert.match(byPath?.snippet.map(({ text }) => text).join("") ?? "", /^before before /);
});

test("[MEM28] matches come in pages, and what cannot be asked is named", async () => {
  const texts = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`/m${at}`, "kestrel"]));
  const { ask } = await place(texts);
  const found: string[] = [];
  let page: string | null = null;
  do {
    const { body } = await ask("kestrel", page === null ? { limit: 100 } : { limit: 100, page });
    found.push(...(body.data as Match[]).map(({ path }) => path));
    page = body.next_page as string | null;
  } while (page !== null);
  assert.deepEqual(sorted(found), sorted(Object.keys(texts)));
  const first = await ask("kestrel");
  assert.equal(first.body.data.length, 20);
  assert.match(sentenceOf(await ask("heron", { page: first.body.next_page }), 400), /^page: /);
  assert.match(sentenceOf(await ask(""), 400), /^q: /);
  assert.match(sentenceOf(await ask("x".repeat(201)), 400), /^q: .*200/);
});

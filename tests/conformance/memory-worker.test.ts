// Memory stores as the unchanged client's worker mounts them: folders that are kept as the stores are, both ways.
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { SessionMemoryStores } from "@anthropic-ai/sdk/tools/agent-toolset/memories";
import { type MemoryHouse, openMemoryHouse } from "../rules/memory-house.ts";
import { listeningClient, type Seen } from "./messages-client.ts";

let m: MemoryHouse;
let folder: string;
let store: string;
before(async () => {
  m = await openMemoryHouse();
  folder = mkdtempSync(join(tmpdir(), "plinth-worker-"));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await m[Symbol.asyncDispose]();
});
beforeEach(async () => {
  store = (await m.store()).id;
});

/** What the worker's own tests drive it by; it is not in the types. */
interface Driven {
  syncAll(isFinal: boolean): Promise<void>;
}
type Session = Parameters<SessionMemoryStores["download"]>[0];

let mounts = 0;

/** `meanwhile` happens just before a request of the worker goes out. */
async function mount(
  access: "read_write" | "read_only" = "read_write",
  meanwhile: (method: string, path: string) => Promise<void> = async () => {},
) {
  const root = join(folder, `mount-${++mounts}`);
  const waiting: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    await meanwhile(init?.method?.toUpperCase() ?? "GET", pathname);
    return fetch(input, init);
  };
  const { client, seen } = listeningClient(m.house, { maxRetries: 2 }, waiting);
  const worker = new SessionMemoryStores(client, { workdir: folder });
  const resource = { type: "memory_store", memory_store_id: store, access, mount_path: root };
  await worker.download({ resources: [resource] } as unknown as Session);
  const at = (path: string) => join(root, path);
  return {
    seen,
    at,
    read: (path: string) => readFileSync(at(path)).toString("utf8"),
    write: (path: string, content: string | Buffer) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    /** Without the worker's own mark. */
    files: () =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)))
        .filter((path) => path !== ".anthropic-memory-store")
        .toSorted(),
    sync: () => (worker as unknown as Driven).syncAll(false),
    finish: () => worker.finish(),
    flush: () => worker.flushWrites(),
    [Symbol.asyncDispose]: () => worker.dispose(),
  };
}

const remote = async () =>
  Object.fromEntries(
    (await m.memories(store, { view: "full" })).map(({ path, content }) => [path, content]),
  );
const idOf = async (path: string) =>
  (await m.memories(store)).find((memory) => memory.path === path)?.id ?? assert.fail(path);
const writesIn = (seen: readonly Seen[]) =>
  seen.filter(({ path, status }) => /\/memories(\/|$)/.test(path) && status !== 0);

const texts: Record<string, string> = {
  "/empty": "",
  "/notes/bom.md": "\ufeffone\r\ntwo\r",
  "/notes/deep/er/Größe 😀.md": "ne\u0301 n\u00e9 👩🏽‍🚀",
  "/large": "é".repeat(51_200),
};

test("the worker's download has every text to the byte, over pages of any number", async () => {
  for (const [path, text] of Object.entries(texts)) await m.create(store, path, text);
  for (let at = 0; at < 41; at++) await m.create(store, `/many/${at}`, String(at));
  await using mounted = await mount();
  assert.equal(mounted.files().length, 45);
  for (const [path, text] of Object.entries(texts)) assert.equal(mounted.read(path), text);
  const before = mounted.seen.length;
  await mounted.sync();
  assert.equal(mounted.seen.length, before + 1, "nothing changed, and more than a list was asked");
  assert.deepEqual(new Set(mounted.seen.map(({ status }) => status)), new Set([200]));
});

test("edits of both sides reach the other; where both edited, the server's stays", async () => {
  for (const path of ["/theirs", "/ours", "/both", "/moved", "/gone-there", "/gone-here", "/kept"])
    await m.create(store, path, `${path} 1`);
  await using mounted = await mount();
  await m.update(store, await idOf("/theirs"), { content: "theirs 2" });
  await m.update(store, await idOf("/both"), { content: "both by them" });
  await m.update(store, await idOf("/moved"), { path: "/folder/moved" });
  await m.remove(store, await idOf("/gone-there"));
  await m.create(store, "/new-there", "new");
  mounted.write("ours", "ours 2\r\n");
  mounted.write("both", "both by us");
  mounted.write("new/here", "");
  await mounted.sync();
  const expected = {
    "/both": "both by them",
    "/folder/moved": "/moved 1",
    "/gone-here": "/gone-here 1",
    "/kept": "/kept 1",
    "/new-there": "new",
    "/new/here": "",
    "/ours": "ours 2\r\n",
    "/theirs": "theirs 2",
  };
  assert.deepEqual(await remote(), expected);
  assert.deepEqual(
    mounted.files(),
    Object.keys(expected)
      .map((path) => path.slice(1))
      .toSorted(),
  );
  for (const [path, text] of Object.entries(expected)) assert.equal(mounted.read(path), text);

  rmSync(mounted.at("gone-here"));
  renameSync(mounted.at("kept"), mounted.at("renamed"));
  await mounted.finish();
  const { "/gone-here": _, "/kept": kept, ...rest } = expected;
  assert.deepEqual(await remote(), { ...rest, "/renamed": kept });
  const deleted = (await m.versions(store, { operation: "deleted" })).map(({ path }) => path ?? "");
  assert.deepEqual(deleted.toSorted(), ["/gone-here", "/gone-there", "/kept"]);
});

test("a memory that changes between the worker's list and its write is left alone, and asked for once", async () => {
  await m.create(store, "/a", "1");
  await m.create(store, "/b", "1");
  const ids = { a: await idOf("/a"), b: await idOf("/b") };
  const done = new Set<string>();
  const meanwhile = async (method: string, path: string) => {
    const said = `${method} ${path.split("/").at(-1)}`;
    if (done.has(said)) return;
    done.add(said);
    if (said === `POST ${ids.a}`) await m.update(store, ids.a, { content: "theirs" });
    if (said === `DELETE ${ids.b}`) await m.update(store, ids.b, { content: "theirs" });
    if (said === "POST memories") await m.create(store, "/c", "theirs");
  };
  await using mounted = await mount("read_write", meanwhile);
  mounted.write("a", "ours");
  rmSync(mounted.at("b"));
  mounted.write("c/d", "ours");
  await mounted.finish();
  assert.deepEqual(await remote(), { "/a": "theirs", "/b": "theirs", "/c": "theirs" });
  const refused = mounted.seen.filter(({ status }) => status >= 400).map(({ status }) => status);
  assert.deepEqual(refused, [409, 409, 409]);
});

test("what the store refuses is asked once, and the rest goes on", async () => {
  await m.create(store, "/a", "1");
  await using mounted = await mount();
  const before = mounted.seen.length;
  mounted.write("too-large", "x".repeat(102_401));
  mounted.write("just-fits", "x".repeat(102_400));
  mounted.write("binary", Buffer.from([0xff, 0xfe, 0x00, 0x80]));
  mounted.write("a", "2");
  await mounted.sync();
  assert.deepEqual(Object.keys(await remote()), ["/a", "/just-fits"]);
  const statuses = writesIn(mounted.seen.slice(before)).map(({ status }) => status);
  assert.deepEqual(
    statuses.filter((status) => status >= 400),
    [413],
  );
  const again = mounted.seen.length;
  await mounted.sync();
  assert.equal(mounted.seen.length, again + 1, "what was refused was sent again");
});

test("a store that is mounted to be read only is never written to", async () => {
  await m.create(store, "/a", "1");
  await using mounted = await mount("read_only");
  mounted.write("a", "2");
  mounted.write("b", "2");
  await mounted.sync();
  await mounted.flush();
  await mounted.finish();
  assert.deepEqual(await remote(), { "/a": "1" });
  assert.ok(mounted.seen.every(({ body }) => body === undefined));
});

test("what is not yet uploaded when a session breaks off goes out with the flush, many at once", async () => {
  await using mounted = await mount();
  for (let at = 0; at < 100; at++) mounted.write(`many/${at}`, String(at));
  await mounted.flush();
  const versions = await m.versions(store, { limit: 100 });
  assert.equal(versions.length, 100);
  await mounted.flush();
  await mounted.sync();
  assert.equal((await m.versions(store, { limit: 100 })).length, 100);
});

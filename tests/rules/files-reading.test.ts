// Rules FIL6 to FIL11, over HTTP: lists, content, and whose a file is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FileMetadata } from "../../server/files/schema.ts";
import { openHouse, type House } from "../house.ts";
import { filesOf, type Files } from "./files-house.ts";

let house: House;
let files: Files;
let made: FileMetadata[];
before(async () => {
  house = await openHouse();
  files = filesOf(house);
  made = [];
  for (let at = 0; at < 5; at++)
    made.unshift(await files.upload({ content: `text ${at}`, filename: `${at}.txt` }));
});
after(() => house[Symbol.asyncDispose]());

interface Page {
  data: FileMetadata[];
  next_page: string | null;
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
}

const list = async (query: string, key?: string): Promise<Page> => {
  const { status, body } = await files.call("GET", `?${query}`, key);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Page;
};
const idsOf = ({ data }: Page) => data.map(({ id }) => id);
const messageOf = ({ body }: { body: { error: { message: string } } }) => body.error.message;
const codeOf = ({ body }: { body: { error: { details?: { error_code?: string } } } }) =>
  body.error.details?.error_code;

test("[FIL6] the newest first, in pages of either kind", async () => {
  const all = made.map(({ id }) => id);
  const whole = await list("limit=1001");
  assert.deepEqual(whole.data, made);
  assert.deepEqual([whole.next_page, whole.has_more], [null, false]);
  const first = await list("limit=2");
  assert.deepEqual(idsOf(first), all.slice(0, 2));
  assert.deepEqual([first.has_more, first.first_id, first.last_id], [true, all[0], all[1]]);
  const byCursor = await list(`limit=2&page=${encodeURIComponent(first.next_page ?? "")}`);
  const byId = await list(`limit=2&after_id=${first.last_id}`);
  assert.deepEqual(idsOf(byCursor), all.slice(2, 4));
  assert.deepEqual({ ...byId, next_page: 0 }, { ...byCursor, next_page: 0 });
  const back = await list(`limit=2&before_id=${all[3]}`);
  assert.deepEqual(idsOf(back), all.slice(1, 3));
  assert.deepEqual([back.has_more, back.next_page], [true, null]);
  const both = await files.call("GET", `?page=${first.next_page}&after_id=${all[1]}`);
  assert.equal(both.status, 400);
  assert.equal(messageOf(both), "page, after_id, before_id: give one of them.");
});

test("[FIL7] ids[] names files in place of a page", async () => {
  const [first, second, third] = made.map(({ id }) => id);
  const theirs = await files.upload({ key: house.organizations.other.api_key });
  const asked = [third, first, first, theirs.id, "file_none", "nonsense"];
  const found = await list(asked.map((id) => `ids[]=${id}`).join("&"));
  assert.deepEqual(idsOf(found), [first, third]);
  assert.deepEqual([found.next_page, found.has_more], [null, false]);
  for (const other of ["limit=2", "page=x", `after_id=${second}`, `before_id=${second}`]) {
    const answer = await files.call("GET", `?ids[]=${first}&${other}`);
    assert.equal(answer.status, 400, other);
    assert.match(messageOf(answer), /^ids, \w+: give one of them/);
  }
  const many = (count: number) =>
    `?${Array.from({ length: count }, (_, at) => `ids[]=file_${at}`).join("&")}`;
  assert.equal((await files.call("GET", many(100))).status, 200);
  assert.equal((await files.call("GET", `${many(100)}&ids[]=file_7`)).status, 200);
  const tooMany = await files.call("GET", many(101));
  assert.equal(tooMany.status, 400);
  assert.equal(messageOf(tooMany), "ids: has 101 different ids; at most 100 are taken.");
});

test("[FIL7] scope_id shows the files of one session", async () => {
  const { id, scope, mime_type, downloadable } = await files.byTool("a,b", "sesn_of_this");
  assert.deepEqual(
    [scope, mime_type, downloadable],
    [{ type: "session", id: "sesn_of_this" }, "text/csv", true],
  );
  assert.deepEqual(idsOf(await list("scope_id=sesn_of_this")), [id]);
  assert.deepEqual(idsOf(await list(`scope_id=sesn_of_this&ids[]=${id}&ids[]=${made[0]?.id}`)), [
    id,
  ]);
  assert.deepEqual(idsOf(await list("scope_id=sesn_of_another")), []);
  await files.remove(id);
});

test("[FIL8] what was uploaded is not handed out", async () => {
  const answer = await files.call("GET", `/${made[0]?.id}/content`);
  assert.deepEqual([answer.status, codeOf(answer)], [400, "file_not_downloadable"]);
});

const contentOf = (id: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${house.url}/v1/files/${id}/content`, {
    method,
    headers: { "x-api-key": house.organizations.platform.api_key, ...headers },
  });

test("[FIL8] a tool's file is handed out whole and in ranges", async () => {
  const { id } = await files.byTool("0123456789");
  const whole = await contentOf(id);
  assert.equal(await whole.text(), "0123456789");
  const etag = whole.headers.get("etag") ?? "";
  const part = await contentOf(id, { range: "bytes=2-4", "if-range": etag });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get("content-range"), "bytes 2-4/10");
  assert.equal(await part.text(), "234");
  assert.equal((await contentOf(id, { range: "bytes=20-" })).status, 416);
  const head = await contentOf(id, {}, "HEAD");
  assert.deepEqual([head.status, head.headers.get("content-length")], [200, "10"]);
  await files.remove(id);
});

test("[FIL9] people download what they uploaded; keys may not take that way", async () => {
  const { cookie, api_key: key } = house.organizations.platform;
  const path = `/console/api/files/${made[0]?.id}/content`;
  const seen = await house.ask("GET", path, { cookie });
  assert.deepEqual([seen.status, seen.body], [200, "text 4"]);
  assert.equal((await house.ask("GET", path, { key })).status, 403);
  const { cookie: theirs } = house.organizations.other;
  assert.equal((await house.ask("GET", path, { cookie: theirs })).status, 404);
});

test("[FIL10] content is an attachment that no browser guesses at or runs", async () => {
  const { cookie } = house.organizations.platform;
  const filename = `"Grüße" \\ 100%'.html`;
  const { id } = await files.upload({ content: "<script>", filename, type: "text/html" });
  const { headers } = await house.ask("GET", `/console/api/files/${id}/content`, { cookie });
  assert.equal(headers.get("content-type"), "text/html");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("content-security-policy") ?? "", /^sandbox; default-src 'none'/);
  assert.equal(
    headers.get("content-disposition"),
    `attachment; filename="100_'.html"; filename*=UTF-8''100%25%27.html`,
  );
  const other = await files.upload({ filename: "Grüße 1.txt" });
  const named = await house.ask("GET", `/console/api/files/${other.id}/content`, { cookie });
  assert.equal(
    named.headers.get("content-disposition"),
    `attachment; filename="Gr__e 1.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%201.txt`,
  );
});

test("[FIL11] another workspace sees nothing of it", async () => {
  const { id } = await files.upload({ content: "mine" });
  const key = house.organizations.other.api_key;
  for (const [method, path] of [
    ["GET", `/${id}`],
    ["GET", `/${id}/content`],
    ["DELETE", `/${id}`],
  ] as const) {
    const answer = await files.call(method, path, key);
    assert.deepEqual([answer.status, messageOf(answer)], [404, `There is no file ${id}.`]);
  }
  assert.ok(!idsOf(await list("limit=1000", key)).includes(id));
  assert.equal((await files.call("GET", `/${id}`)).status, 200);
});

// Rule REQ11, over HTTP: the request log as a file, as far as the filters take it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import type { LoggedRequest } from "./requests-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const platform = () => house.organizations.platform;

const read = (query: string, { cookie }: Tenant = platform()) =>
  fetch(`${house.url}/console/api/requests/export?${query}`, { headers: { cookie } });

/** The log writes by itself, too: what it has begun to write is awaited. */
async function written(rows: number, { organization_id }: Tenant): Promise<void> {
  const { db } = house.world;
  await requestLogOf(house.world).flush();
  await until(async () => {
    const [found] = await db.query<{ count: number }>(
      sql`select count(*) from requests where organization_id = ${organization_id}`,
    );
    return Number(found?.count) >= rows;
  }, "rows in the log");
}

/** Calls of tools, as a key made them. */
function note(count: number, path: string, { organization_id }: Tenant): void {
  const log = requestLogOf(house.world);
  for (let made = 0; made < count; made++)
    log.note({
      requestId: house.world.ids.next("req_"),
      notes: {},
      who: {
        kind: "admin_key",
        credentialId: "apikey_of_the_log",
        organizationId: organization_id,
        organizationType: "platform",
        workspaceId: null,
        userId: null,
        name: "a key",
        permissions: new Set(),
      },
      origin: "session",
      operation: "sessions.tool_call",
      method: null,
      path,
      status: made % 100 === 99 ? 500 : 200,
      failure: undefined,
      startMs: 0,
      endMs: 1,
    });
}

test("[REQ11] JSON lines have the rows of the list, newest first, as far as the filters take them", async () => {
  const { api_key, admin_api_key } = platform();
  for (const model of ["sim-large", "no-model", "sim-small"])
    await house.ask("POST", "/v1/messages", {
      key: api_key,
      body: { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] },
    });
  await written(3, platform());
  const listed = await house.ask("GET", "/v1/organizations/requests?operation=messages.create", {
    key: admin_api_key,
  });
  const reply = await read("format=jsonl&operation=messages.create");
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/x-jsonl");
  const named = /^attachment; filename="requests-\d{4}-\d\d-\d\d\.jsonl"$/;
  assert.match(reply.headers.get("content-disposition") ?? "", named);
  const lines = (await reply.text()).trimEnd().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as LoggedRequest);
  assert.deepEqual(rows, listed.body.data);
  assert.equal(rows.length, 3);
  const failed = await (await read("format=jsonl&status=404")).text();
  assert.equal(failed.trimEnd().split("\n").length, 1);
});

test("[REQ11] CSV has a row each, quotes what must be, and no cell is a formula", async () => {
  note(1, `=cmd|' /C "calc"'!A0`, platform());
  await written(4, platform());
  const reply = await read("format=csv");
  assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8");
  const [head, newest, ...rest] = (await reply.text()).trimEnd().split("\r\n");
  assert.match(head ?? "", /^time,request_id,status,error_type,error,origin,operation,/);
  assert.ok((newest ?? "").includes(`,"'=cmd|' /C ""calc""'!A0",`), String(newest));
  const first = String(rest.at(-1));
  assert.ok(first.includes('"sim-large","sim-large","simulator","false"'), first);
});

test("[REQ11] many pages are one file, without a row twice", async () => {
  const { other } = house.organizations;
  note(2_500, "a_tool", other);
  await written(2_500, other);
  const count = async (query: string) => {
    const lines = (await (await read(`format=jsonl${query}`, other)).text()).trimEnd().split("\n");
    assert.equal(new Set(lines).size, lines.length);
    return lines.length;
  };
  assert.equal(await count(""), 2_500);
  assert.equal(await count("&status=5xx"), 25);
});

test("[REQ11] filters that make no sense are an error and no file; a key is refused", async () => {
  const crossed = await read("format=csv&from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z");
  assert.equal(crossed.status, 400);
  assert.match(await crossed.text(), /from must lie before to/);
  assert.equal((await read("format=xml")).status, 400);
  const { admin_api_key: key } = platform();
  const byKey = await house.ask("GET", "/console/api/requests/export?format=csv", { key });
  assert.equal(byKey.status, 403);
});

// Rules SRC1 to SRC8: what is found by an id or words, by whom, in which order.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember } from "./members-house.ts";
import {
  furnish,
  furnishOrganization,
  makerOf,
  searchOf,
  type FoundObject,
} from "./search-house.ts";

let house: House;
let platform: Tenant;
let owner: { cookie: string };
let things: Record<string, string>;
let search: ReturnType<typeof searchOf>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  owner = { cookie: platform.cookie };
  search = searchOf(house);
  things = {
    ...(await furnish(house, platform, "Quarzit")),
    ...(await furnishOrganization(house, platform, "quarzit")),
    user: (await addMember(house, platform, { name: "Quarzit Person" })).id,
  };
});
after(() => house[Symbol.asyncDispose]());

const unnamed = ["message_batch", "memory_version"];
const addressOf = ({ console_url: url }: FoundObject) => url.slice(house.url.length);

test("[SRC2] each object is found by its id, with blanks around it or not", async () => {
  for (const [type, id] of Object.entries(things)) {
    const [found, ...more] = await search.find(owner, `  ${id} `);
    assert.deepEqual([found?.type, found?.id, more], [type, id, []], type);
  }
});

test("[SRC3] each object with a name is found by words of it", async () => {
  const found = await search.find(owner, "quarzit");
  const named = Object.entries(things).filter(([type]) => !unnamed.includes(type));
  assert.deepEqual(
    new Map(found.map(({ type, id }) => [type, id])),
    new Map(
      named.toSorted(
        ([a], [b]) =>
          found.findIndex(({ type }) => type === a) - found.findIndex(({ type }) => type === b),
      ),
    ),
  );
});

test("[SRC1] what is found says where it stands in the console, and in which workspace", async () => {
  const home = (await search.find(owner, things["session"] ?? ""))[0]?.workspace_id ?? "";
  assert.match(home, /^wrkspc_/);
  const expected: Record<string, string> = {
    session: `/console/sessions/ID?workspace=${home}`,
    memory: `/console/memory/${things["memory_store"]}?memory=ID&workspace=${home}`,
    memory_version: `/console/memory/${things["memory_store"]}/history/ID?workspace=${home}`,
    file: `/console/files?file=ID&workspace=${home}`,
    message_batch: `/console/batches/ID?workspace=${home}`,
    api_key: "/console/keys/ID",
    workspace: "/console/workspaces/ID",
    service_account: "/console/service-accounts/ID",
    webhook_endpoint: "/console/webhooks/ID",
  };
  for (const [type, address] of Object.entries(expected)) {
    const id = things[type] ?? "";
    const [found] = await search.find(owner, id);
    assert.ok(found, type);
    assert.equal(addressOf(found), address.replace("ID", id));
  }
  const [person] = await search.find(owner, things["user"] ?? "");
  assert.equal(person?.name, "Quarzit Person");
  assert.match(person.detail ?? "", /^person-.*@members\.example$/);
  assert.equal(addressOf(person), `/console/members/${person.id}`);
  const [memory] = await search.find(owner, things["memory"] ?? "");
  assert.deepEqual([memory?.name, memory?.detail], ["/Quarzit/memory.md", "Quarzit store"]);
  const [model] = await search.find(owner, "sim-large");
  assert.deepEqual([model?.type, model?.workspace_id], ["model", null]);
  assert.equal(model && addressOf(model), "/console/models/sim-large");
});

test("[SRC2] an id of nothing finds nothing, and neither does a part of one", async () => {
  const id = things["session"] ?? "";
  for (const other of [
    `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`,
    id.slice(0, -1),
    id.slice(5),
  ])
    assert.deepEqual(await search.find(owner, other), [], other);
});

test("[SRC2] an event of the audit log, a credential and a run are found by their ids too", async () => {
  const make = makerOf(house, platform);
  const { data } = (
    await house.ask("GET", "/v1/organizations/audit_events?limit=1&action=workspace.", {
      key: platform.admin_api_key,
    })
  ).body as { data: { id: string; at: string }[] };
  const [event] = data;
  const [found] = await search.find(owner, event?.id ?? "");
  assert.deepEqual([found?.type, found?.id], ["audit_event", event?.id]);
  assert.match(
    found ? addressOf(found) : "",
    new RegExp(`^/console/audit\\?action=workspace.*&event=${event?.id}$`),
  );
  const run = await make(`/v1/deployments/${things["deployment"]}/run`, {});
  assert.deepEqual(await search.ids(owner, run.id), [run.id]);
});

test("[SRC3] words in any order and case, whole or begun, and signs between them do not count", async () => {
  const make = makerOf(house, platform);
  for (const name of ["Nightly-Export_eu.v2 (Straße)", "Nightly import us", "O'Neil \\ 50% & more"])
    await make("/console/api/keys", { name, kind: "api" });
  const found: [typed: string, names: string[]][] = [
    ["nightly", ["Nightly import us", "Nightly-Export_eu.v2 (Straße)"]],
    ["EU nIGHT", ["Nightly-Export_eu.v2 (Straße)"]],
    ["v2", ["Nightly-Export_eu.v2 (Straße)"]],
    ["stra", ["Nightly-Export_eu.v2 (Straße)"]],
    ["export.eu", ["Nightly-Export_eu.v2 (Straße)"]],
    ["xport", []],
    ["nightly nothing", []],
    ["o'neil", ["O'Neil \\ 50% & more"]],
    ["neil \\ 'o", ["O'Neil \\ 50% & more"]],
    ["50% more", ["O'Neil \\ 50% & more"]],
    ["' & | ! : *", []],
    ["%", []],
    ["\\", []],
  ];
  for (const [typed, names] of found)
    assert.deepEqual(await search.names(owner, typed), names, typed);
});

test("[SRC5] what is called exactly so comes first, then what begins so; types take turns", async () => {
  const make = makerOf(house, platform);
  for (const name of ["the basalt", "basalt two", "Basalt", "basalt one"]) {
    await make("/console/api/keys", { name, kind: "api" });
    await make("/v1/memory_stores", { name });
  }
  const found = await search.find(owner, "basalt");
  assert.deepEqual(
    found.map(({ type, name }) => `${type} ${name}`),
    [
      "api_key Basalt",
      "memory_store Basalt",
      "api_key basalt one",
      "memory_store basalt one",
      "api_key basalt two",
      "memory_store basalt two",
      "api_key the basalt",
      "memory_store the basalt",
    ],
  );
  const pages: FoundObject[] = [];
  let next: string | null = "";
  while (next !== null) {
    const more: string = next === "" ? "&limit=3" : `&limit=3&page=${encodeURIComponent(next)}`;
    const page = await search.page(owner, "basalt", more);
    pages.push(...page.data);
    next = page.next_page;
  }
  assert.deepEqual(pages, found);
});

test("[SRC6] of very many with a word 50 of a type are found, and what is called exactly so among them", async () => {
  const { db } = house.world;
  const workspace = (await search.find(owner, things["file"] ?? ""))[0]?.workspace_id;
  await db.tx((tx) =>
    tx.query({
      text: `insert into environments (id, organization_id, workspace_id, name, config, metadata, created_at, updated_at)
             select 'env_' || lpad(n::text, 26, '0'), $1, $2,
                    case n when 1200 then 'gneis' else 'gneis ' || n end, '{}', '{}', now(), now()
             from generate_series(1, 1200) as n`,
      values: [platform.organization_id, workspace],
    }),
  );
  const found = await search.names(owner, "gneis");
  assert.equal(found.length, 50);
  assert.equal(found[0], "gneis");
  assert.deepEqual(await search.names(owner, "gneis 1187"), ["gneis 1187"]);
});

test("[SRC7] what was renamed or deleted is found as it is now; an agent by its newest version's name", async () => {
  const make = makerOf(house, platform);
  const key = await make("/console/api/keys", { name: "slate", kind: "api" });
  await make(`/console/api/keys/${key.id}`, { name: "marble" });
  assert.deepEqual(await search.ids(owner, "slate"), []);
  assert.deepEqual(await search.ids(owner, "marble"), [key.id]);
  const agent = await make("/v1/agents", { name: "tuff", model: "sim-large" });
  await make(`/v1/agents/${agent.id}`, { name: "granite", version: 1 });
  assert.deepEqual(await search.ids(owner, "tuff"), []);
  assert.deepEqual(await search.ids(owner, "granite"), [agent.id]);
  const store = await make("/v1/memory_stores", { name: "chalk" });
  const memory = await make(`/v1/memory_stores/${store.id}/memories`, {
    path: "/lime.md",
    content: "x",
  });
  const headers = { "vendor-beta": "agent-memory-2026-07-22" };
  const path = `/v1/memory_stores/${store.id}/memories/${memory.id}`;
  await make(path, { path: "/dolomite.md" });
  assert.deepEqual(await search.ids(owner, "lime"), []);
  assert.deepEqual(await search.ids(owner, "dolomite"), [memory.id]);
  assert.equal((await house.ask("DELETE", path, { ...owner, headers })).status, 200);
  assert.deepEqual(await search.ids(owner, "dolomite"), []);
});

test("a query that is missing, empty or too long is refused, and so is a page of another query", async () => {
  const get = (query: string) => house.ask("GET", `/console/api/objects${query}`, owner);
  for (const query of ["", "?query=", `?query=${"x".repeat(201)}`])
    assert.equal((await get(query)).status, 400, query);
  const { next_page } = await search.page(owner, "quarzit", "&limit=1");
  assert.equal((await get(`?query=other&page=${next_page}`)).status, 400);
});

// What every list does: bad sizes are refused, pages have no gap and no double, forged cursors are refused.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House } from "../house.ts";
import { ask, fillPath, headersFor } from "./ask.ts";
import { callersOf, tenantsOf, whoMay, type Caller, type Tenant } from "./callers.ts";
import { isList } from "./fixture.ts";
import { fixtures } from "./fixtures.ts";

let house: House;
let callers: Caller[];
let tenants: Tenant[];
before(async () => {
  house = await openHouse({ rival: true });
  tenants = tenantsOf(house);
  callers = await callersOf(house);
});
after(() => house[Symbol.asyncDispose]());

interface Item {
  id?: string;
  /** Of lists of members. */
  user_id?: string;
  version?: number;
}

const idOf = ({ id, user_id }: Item) => id ?? user_id;

interface Page {
  data: Item[];
  has_more?: boolean;
  last_id?: string | null;
  first_id?: string | null;
  next_page?: string | null;
}

/** The name of the query field that takes the next page's position: `page` where a list can be walked by ids too. */
function cursorField({ operation, query }: Route): "after_id" | "page" | "page_token" {
  const fields = ["page", "after_id", "page_token"] as const;
  const field = fields.find((name) => query !== undefined && name in query.properties);
  return field ?? assert.fail(`${operation} takes a limit but no position of any kind we have`);
}

const nextOf = (page: Page): string | undefined =>
  (page.next_page ?? (page.has_more === true ? page.last_id : undefined)) || undefined;

/** Of a key that was used a moment ago this is written later, and a session grows older. */
const still = ({
  last_used_at: _used,
  stats: _stats,
  ...item
}: Item & { last_used_at?: unknown; stats?: unknown }): Item => item;

interface Place {
  get(query: string): ReturnType<typeof ask>;
  pages(limit: number): Promise<Page[]>;
}

async function visit(route: Route, index = 0): Promise<Place> {
  const may = await whoMay(house.url, route, callers);
  const names = [...new Set(may.map(({ tenant }) => tenant))];
  const tenant = tenants.find(({ name }) => name === names[index]);
  const caller = may.find(({ tenant: name }) => name === tenant?.name);
  assert.ok(tenant && caller, `fewer than ${index + 1} tenants of the house have this route`);
  const fixture = fixtures[route.operation];
  const path = fillPath(route.path, (await fixture?.params?.(tenant)) ?? {});
  await fixture?.items?.(tenant);
  const always = fixture?.query === undefined ? "" : `${fixture.query}&`;
  const get = (query: string) =>
    ask(house.url, { path: `${path}?${always}${query}`, caller, headers: headersFor(route) });
  const pages = async (limit: number) => {
    const all: Page[] = [];
    let next: string | undefined;
    do {
      const from = next === undefined ? "" : `&${cursorField(route)}=${encodeURIComponent(next)}`;
      const { status, body, message } = await get(`limit=${limit}${from}`);
      assert.equal(status, 200, message);
      all.push(body as Page);
      next = nextOf(body as Page);
      assert.ok(all.length < 5_000, "the pages do not end");
    } while (next !== undefined);
    return all;
  };
  return { get, pages };
}

const lists = routes.filter(isList);

test("the table has lists", () => assert.ok(lists.length > 1));

for (const route of lists) {
  const name = `${route.method} ${route.path}`;
  const field = cursorField(route);

  test(`${name}: a size that is none is refused`, async () => {
    const { get } = await visit(route);
    for (const limit of [
      "0",
      "-1",
      "abc",
      "1.5",
      "1e3",
      "99999999999999999999x",
      "%201",
      "1%20",
      "%2B1",
    ]) {
      const { status, message } = await get(`limit=${limit}`);
      assert.equal(status, 400, `limit=${limit}: ${message}`);
      assert.match(message, /^limit: /);
    }
    assert.equal((await get("limit=1&limit=2")).status, 400);
  });

  test(`${name}: pages of one hold what one large page holds`, async () => {
    const { pages } = await visit(route);
    const read = async (limit: number) =>
      (await pages(limit)).flatMap(({ data }) => data.map(still));
    const whole = await read(100);
    assert.ok(whole.length >= 2, `${whole.length} items: the fixture must make two or more`);
    const single = await pages(1);
    assert.ok(single.every(({ data }) => data.length <= 1));
    assert.deepEqual(
      single.flatMap(({ data }) => data.map(still)),
      whole,
    );
    assert.deepEqual(await read(2), whole);
    // Versions of one thing have its id, and differ in the rest.
    const ids = whole.map((item) => JSON.stringify([idOf(item) ?? item, item.version]));
    assert.equal(new Set(ids).size, ids.length, "an item stands on the list twice");
  });

  if (route.query !== undefined && "after_id" in route.query.properties) {
    test(`${name}: back is the way there`, async () => {
      const { get, pages } = await visit(route);
      const whole = (await pages(100)).flatMap(({ data }) => data.map(idOf));
      const last = whole.at(-1) ?? "";
      const back = (await get(`limit=1000&before_id=${last}`)).body as Page;
      assert.deepEqual(back.data.map(idOf), whole.slice(0, -1));
      assert.equal((await get(`after_id=${last}&before_id=${last}`)).status, 400);
    });

    test(`${name}: an id that names nothing on the list is refused, another tenant's too`, async () => {
      const { get, pages } = await visit(route);
      const own = (await pages(100)).flatMap(({ data }) => data.map(idOf));
      const unknown = (own[0] ?? "").replace(/.{8}$/, "00000000");
      const neighbour = await visit(route, 1);
      const theirs = (await neighbour.pages(100)).flatMap(({ data }) => data.map(idOf));
      const foreign = theirs.find((id) => id !== undefined && !own.includes(id));
      for (const id of ["garbage", unknown, foreign ?? "garbage"])
        for (const way of ["after_id", "before_id"]) {
          const { status, message } = await get(`limit=1&${way}=${encodeURIComponent(id)}`);
          assert.equal(status, 400, `${way}=${id}: ${message}`);
          assert.match(message, new RegExp(`^${way}: `));
        }
    });
  }
  if (field !== "after_id") {
    test(`${name}: a cursor that was changed, or is another tenant's, is refused`, async () => {
      const { get } = await visit(route);
      const neighbour = await visit(route, 1);
      const cursor = ((await get("limit=1")).body as Page).next_page ?? "";
      const theirs = ((await neighbour.get("limit=1")).body as Page).next_page ?? "";
      assert.ok(cursor !== "" && theirs !== "", "the first page of one is also the last");
      const middle = Math.floor(cursor.length / 2);
      const letter = cursor[middle] === "A" ? "B" : "A";
      const changed = [
        `${cursor.slice(0, middle)}${letter}${cursor.slice(middle + 1)}`,
        `${cursor}A`,
        cursor.slice(0, -2),
        "garbage",
        "x".repeat(2049),
        theirs,
      ];
      for (const value of changed) {
        const { status, message } = await get(`limit=1&${field}=${encodeURIComponent(value)}`);
        assert.equal(status, 400, `${value.slice(0, 80)}: ${message}`);
        assert.match(message, new RegExp(`^${field}: `));
      }
      assert.equal((await get(`limit=1&${field}=${encodeURIComponent(cursor)}`)).status, 200);
    });
  }
}

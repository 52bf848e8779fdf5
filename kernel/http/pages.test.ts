// Pages: sizes, windows over ids walked to the end both ways, and cursors that no client can forge.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { openSecrets } from "../secret/keyring.ts";
import Type, { type TSchema } from "typebox";
import {
  bidirectionalPage,
  idWindow,
  makeCursors,
  pageSize,
  reportPage,
  toBidirectionalPage,
  toIdPage,
  tokenPage,
  tokenQuery,
  toReportPage,
  toTokenPage,
  type Cursors,
} from "./pages.ts";
import { closed } from "./route.ts";
import { checker } from "./validate/validate.ts";

test("the page size follows the rule of its list", () => {
  assert.equal(pageSize(undefined), 20);
  assert.equal(pageSize(1), 1);
  assert.equal(pageSize(100), 100);
  assert.equal(pageSize(101), 100);
  assert.equal(pageSize(undefined, { itemsDefault: 5 }), 5);
  assert.equal(pageSize(1000, { itemsMax: 1000, beyond: "refuse" }), 1000);
  assert.throws(
    () => pageSize(1001, { itemsMax: 1000, beyond: "refuse" }),
    /^Failure: limit: must be at most 1000\.$/,
  );
  for (const odd of [0, -1, 1.5, Number.NaN])
    assert.throws(() => pageSize(odd), /^Failure: limit: must be a whole number from 1 to 100\.$/);
});

test("after_id and before_id exclude each other", () => {
  assert.throws(
    () => idWindow({ after_id: "a", before_id: "b" }),
    /^Failure: after_id, before_id: give one/,
  );
});

/** What a query would give: away from the cursor, at most `rows`. */
function rowsOf(ids: readonly string[], window: ReturnType<typeof idWindow>) {
  const from = window.after === undefined ? 0 : ids.indexOf(window.after) + 1;
  const list =
    window.before === undefined
      ? ids.slice(from)
      : ids.slice(0, ids.indexOf(window.before)).toReversed();
  return list.slice(0, window.rows).map((id) => ({ id }));
}

test("[HTP14] walking forward and back over ids meets each once, in order", () => {
  fc.assert(
    fc.property(fc.nat({ max: 30 }), fc.integer({ min: 1, max: 12 }), (count, limit) => {
      const ids = Array.from({ length: count }, (_, index) => `id_${index}`);
      const forward: string[] = [];
      for (let after: string | undefined, more = true; more;) {
        const window = idWindow({ limit, ...(after !== undefined && { after_id: after }) });
        const page = toIdPage(rowsOf(ids, window), window);
        forward.push(...page.data.map(({ id }) => id));
        assert.equal(page.first_id, page.data[0]?.id ?? null);
        after = page.last_id ?? undefined;
        more = page.has_more;
      }
      assert.deepEqual(forward, ids);

      const back: string[] = [];
      for (let before = ids.at(-1), more = before !== undefined; more && before !== undefined;) {
        const window = idWindow({ limit, before_id: before });
        const page = toIdPage(rowsOf(ids, window), window);
        back.unshift(...page.data.map(({ id }) => id));
        before = page.first_id ?? undefined;
        more = page.has_more;
      }
      assert.deepEqual(back, ids.slice(0, -1));
    }),
  );
});

let cursors: Cursors;
before(async () => {
  cursors = makeCursors(await openSecrets({ directory: "", masterKey: "ab".repeat(32) }));
});

test("[HTP14] a cursor comes back as it went, and nothing else does", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom("a", "A", "0", "-", "_", ".", "Z", "z", "9"),
      (position, place, character) => {
        const cursor = cursors.write("agents", "wrkspc_1", position);
        assert.deepEqual(
          cursors.read("agents", "wrkspc_1", cursor),
          JSON.parse(JSON.stringify(position)),
        );
        assert.throws(
          () => cursors.read("files", "wrkspc_1", cursor),
          /^Failure: page: is not a cursor/,
        );
        assert.throws(
          () => cursors.read("agents", "wrkspc_2", cursor),
          /^Failure: page: is not a cursor/,
        );
        const at = place % cursor.length;
        const altered = cursor.slice(0, at) + character + cursor.slice(at + 1);
        if (altered !== cursor)
          assert.throws(
            () => cursors.read("agents", "wrkspc_1", altered),
            /^Failure: page: is not a cursor/,
          );
      },
    ),
    { numRuns: 500 },
  );
  assert.equal(cursors.read("agents", "wrkspc_1", undefined), undefined);
  for (const odd of ["", "x", "a.b.c", "....", "null"])
    assert.throws(
      () => cursors.read("agents", "wrkspc_1", odd, "page_token"),
      /^Failure: page_token: is not a cursor/,
    );
});

const fits = (schema: TSchema, value: unknown) => checker(schema, "reply")(value) === undefined;
const last = (item: { id: string }) => `after ${item.id}`;
const items = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `i${at}` }));
const Item = Type.Object({ id: Type.String() });

test("a token page says whether there is more, and how to get it", () => {
  assert.deepEqual(toTokenPage(items(3), 2, last), {
    data: items(2),
    has_more: true,
    next_page: "after i1",
  });
  const end = toTokenPage(items(2), 2, last);
  assert.deepEqual([end.has_more, end.next_page], [false, null]);
  assert.ok(fits(tokenPage(Item), end));
  assert.ok(fits(closed(tokenQuery), { limit: 2, page_token: "x" }));
  assert.ok(!fits(closed(tokenQuery), { page: "x" }));
});

test("a report page adds when its numbers were made", () => {
  const page = toReportPage(items(1), 2, last, new Date("2026-01-02T03:04:05Z"));
  assert.equal(page.data_refreshed_at, "2026-01-02T03:04:05.000Z");
  assert.ok(fits(reportPage(Item), page));
  assert.ok(fits(reportPage(Item), toReportPage([], 2, last, null)));
});

test("[HTP14] a list that goes both ways is walked to its end and back to its start", () => {
  const all = items(7);
  const size = 3;
  const cursorOf = ({ id }: { id: string }, way: string) => `${way} ${id}`;
  const open = (cursor: string | null) => {
    const [way, id] = cursor?.split(" ") ?? [undefined, undefined];
    const at = all.findIndex((item) => item.id === id);
    const back = way === "prev";
    const rows = back ? all.slice(0, at).toReversed() : all.slice(at + 1);
    const page = toBidirectionalPage(
      rows.slice(0, size + 1),
      { size, back, isFirst: cursor === null },
      cursorOf,
    );
    assert.ok(fits(bidirectionalPage(Item), page));
    return page;
  };
  const first = open(null);
  const second = open(first.next_page);
  const third = open(second.next_page);
  assert.deepEqual([first, second, third].map(({ data }) => data).flat(), all);
  assert.deepEqual([first.prev_page, third.next_page], [null, null]);
  assert.deepEqual(open(third.prev_page).data, second.data);
  const start = open(open(third.prev_page).prev_page);
  assert.deepEqual([start.data, start.prev_page], [first.data, null]);
  assert.deepEqual(toBidirectionalPage([], { size, back: false, isFirst: true }, cursorOf), {
    data: [],
    next_page: null,
    prev_page: null,
  });
});

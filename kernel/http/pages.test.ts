// Pages: sizes, windows over ids walked to the end both ways, and cursors that nobody can forge.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import fc from "fast-check";
import { openSecrets } from "../secret/keyring.ts";
import { idWindow, makeCursors, pageSize, toIdPage, type Cursors } from "./pages.ts";

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

test("walking forward and back over ids meets each once, in order", () => {
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

test("a cursor comes back as it went, and nothing else does", () => {
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

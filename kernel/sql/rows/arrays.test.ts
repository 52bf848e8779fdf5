// Arrays come back from the database as they were written, with any values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/postgres.ts";
import { column, plainArray, textArray } from "./arrays.ts";
import { sql } from "../statement.ts";

test("[SQL8] texts, numbers and truths pass through unchanged", async () => {
  await using database = await testDatabase();
  const texts = ["", "null", "NULL", null, "a,b", '{"a"}', "\\", '"', " ", "\n", "ü😀", "plain"];
  const marked = ['"', "\\", 'a"b\\c'];
  const numbers = [0, 1, Number.MAX_SAFE_INTEGER];
  const [row] = await database.db.query<Record<string, unknown>>(sql`
    select ${textArray(texts)}::text[] as texts, ${textArray([])}::text[] as nothing, ${textArray(marked)}::text[] as marked,
      ${plainArray(numbers)}::bigint[]::text[] as numbers, ${plainArray([true, false])}::boolean[] as truths`);
  assert.deepEqual(row, {
    texts,
    nothing: [],
    marked,
    numbers: numbers.map(String),
    truths: [true, false],
  });
});

test("[SQL8] a column that no row has is null, and is filled up beside the others", async () => {
  await using database = await testDatabase();
  const [none, some] = [column([null, null], textArray), column([null, "b"], textArray)];
  assert.deepEqual([none, some], [null, '{null,"b"}']);
  const rows = await database.db.query(sql`
    select number, absent, given
    from unnest(${plainArray([1, 2])}::bigint[], ${none}::text[], ${some}::text[])
      as row (number, absent, given)`);
  assert.deepEqual(rows, [
    { number: 1, absent: null, given: null },
    { number: 2, absent: null, given: "b" },
  ]);
});

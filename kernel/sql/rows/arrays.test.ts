// Arrays come back from the database as they were written, with any values.
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/postgres.ts";
import { plainArray, textArray } from "./arrays.ts";
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

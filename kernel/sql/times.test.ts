// The fast way of reading times against the driver's own.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { readAnyTime, readTypes } from "./types.ts";

readTypes();

test("[SQL8] times are read as the driver reads them, whatever their form", () => {
  const read = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown;
  for (const text of [
    "2026-11-21 06:44:14.945+00",
    "2026-11-21 06:44:14+00",
    "2026-11-21 06:44:14.945678+00",
    "2026-11-21 06:44:14.9+02",
    "2026-11-21 06:44:14.9-03",
    "2026-11-21 06:44:14.94+05:30",
    "1969-12-31 23:59:59.999+00",
    "1800-01-01 00:00:00-00:01:15",
    "0044-03-15 00:00:00+00 BC",
    "12026-01-01 00:00:00+00",
    "infinity",
    "-infinity",
  ])
    assert.deepEqual(read(text), readAnyTime(text), text);
});

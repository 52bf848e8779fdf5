// How many seeds a simulation tries: as many as are asked for, and more until it has met what it is to meet.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";

/** So many more: of one seed alone much may have been spared. */
const moreMax = 8;

/** `npm test -- --long` */
export const isLong = process.env["PLINTH_TEST_LONG"] !== undefined;

export interface Seeds<Key extends string> {
  first: number;
  /** PLINTH_SIMULATION_SEEDS says it otherwise. */
  count: number;
  title: string;
  run: (seed: number, t: TestContext) => Promise<Readonly<Record<Key, number>>>;
  /** What all seeds together have to meet. */
  met: { title: string; isEnough: (sums: Readonly<Record<Key, number>>) => boolean };
}

/** A test for each seed, and one that they have met enough: a simulation in which nothing happens proves nothing. */
export function trySeeds<Key extends string>(keys: readonly Key[], seeds: Seeds<Key>): void {
  const { first, title, run, met } = seeds;
  const count = Number(process.env["PLINTH_SIMULATION_SEEDS"] ?? seeds.count);
  const sums = Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  const tryOne = async (seed: number, t: TestContext) => {
    const found = await run(seed, t);
    t.diagnostic(JSON.stringify(found));
    for (const key of keys) sums[key] += found[key];
  };
  for (let seed = first; seed < first + count; seed++)
    test(title.replace("%", String(seed)), (t) => tryOne(seed, t));

  test(met.title, async (t) => {
    for (let more = 0; more < moreMax && !met.isEnough(sums); more++)
      await tryOne(first + count + more, t);
    t.diagnostic(`all seeds: ${JSON.stringify(sums)}`);
    assert.ok(met.isEnough(sums), JSON.stringify(sums));
  });
}

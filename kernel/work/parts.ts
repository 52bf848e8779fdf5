// What a process has once, and starts: each part says which others it needs. See RULES.md.
import assert from "node:assert/strict";
import type { Database } from "../sql/database.ts";

/** A process is known by its database handle: a test may run several in one. */
interface PartWorld {
  db: Database;
}

type Stop = () => void | Promise<void>;

export interface Part<Made, World extends PartWorld> {
  readonly name: string;
  readonly needs: readonly Part<unknown, World>[];
  /** It does something by itself once it is started. */
  readonly isStarted: boolean;
  /** What this process has of it: made when it is first asked for. */
  of(world: World): Made;
  /** Begins its work; the result stops it. */
  start(world: World): Stop;
}

interface PartOptions<Made, World extends PartWorld> {
  needs?: readonly Part<unknown, World>[];
  make?(world: World): Made;
  start?(world: World, made: Made): Stop;
}

/** `make` and `start` may ask for what is named in `needs`, and for no other part. */
export function part<World extends PartWorld, Made = undefined>(
  name: string,
  { needs = [], make, start }: PartOptions<Made, World>,
): Part<Made, World> {
  const byDatabase = new WeakMap<Database, { made: Made }>();
  const self: Part<Made, World> = {
    name,
    needs,
    isStarted: start !== undefined,
    of: (world) => {
      if (asking !== undefined && asking !== self && !asking.needs.includes(self))
        assert.fail(`the part "${asking.name}" asks for "${name}", which its needs do not name`);
      const known = byDatabase.get(world.db);
      if (known !== undefined) return known.made;
      const made = askingAs(self, () => make?.(world) as Made);
      byDatabase.set(world.db, { made });
      return made;
    },
    start: (world) => {
      const made = self.of(world);
      return askingAs(self, () => start?.(world, made) ?? nothingToStop);
    },
  };
  return self;
}

const nothingToStop = () => {};

/** The part that is being made or started at this moment. */
let asking: { name: string; needs: readonly unknown[] } | undefined;

function askingAs<T>(now: typeof asking, work: () => T): T {
  const before = asking;
  asking = now;
  try {
    return work();
  } finally {
    asking = before;
  }
}

/** Each once and after what it needs, which comes along unasked; else in the order given. */
export function inOrderOfNeeds<World extends PartWorld>(
  parts: readonly Part<unknown, World>[],
): Part<unknown, World>[] {
  const ordered = new Map<string, Part<unknown, World>>();
  const add = (next: Part<unknown, World>, path: readonly Part<unknown, World>[]): void => {
    const names = path.map(({ name }) => name);
    const at = path.indexOf(next);
    if (at !== -1)
      assert.fail(`parts need each other: ${[...names.slice(at), next.name].join(" → ")}`);
    if (ordered.get(next.name) === next) return;
    for (const need of next.needs) add(need, [...path, next]);
    assert(!ordered.has(next.name), `two parts are named ${next.name}`);
    ordered.set(next.name, next);
  };
  for (const each of parts) add(each, []);
  return [...ordered.values()];
}

/** The result stops them in reverse, one after the other; where one cannot start, those before it are stopped. */
export async function startParts<World extends PartWorld>(
  world: World,
  parts: readonly Part<unknown, World>[],
): Promise<() => Promise<void>> {
  await using starting = new AsyncDisposableStack();
  for (const each of inOrderOfNeeds(parts)) starting.defer(each.start(world));
  const started = starting.move();
  return () => started.disposeAsync();
}

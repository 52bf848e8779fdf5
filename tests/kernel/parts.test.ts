// Parts: what a process has once, starts in order of needs, and stops in reverse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrderOfNeeds, part, startParts, type Part } from "../../kernel/work/parts.ts";
import type { Database } from "../../kernel/sql/database.ts";

interface Scene {
  db: Database;
  /** What happened, in order. */
  seen: string[];
}

type ScenePart = Part<unknown, Scene>;

const openScene = (): Scene => ({ db: {} as Database, seen: [] });

/** Its start and stop are seen; the stop takes a few turns of the event loop. */
const seenPart = (name: string, needs: readonly ScenePart[] = []): ScenePart =>
  part(name, {
    needs,
    start: ({ seen }: Scene) => {
      seen.push(`${name} starts`);
      return async () => {
        seen.push(`${name} stops`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} has stopped`);
      };
    },
  });

const failing = (name: string, what: "start" | "stop", needs: readonly ScenePart[] = []) =>
  part(name, {
    needs,
    start: (_scene: Scene) => {
      if (what === "start") throw new Error(`${name} cannot start`);
      return () => Promise.reject(new Error(`${name} cannot stop`));
    },
  });

test("[WRK10] a part is made once in each process, whoever asks and however often", async () => {
  const [one, two] = [openScene(), openScene()];
  const counter = part("counter", {
    make: ({ seen }: Scene) => {
      seen.push("made");
      return { count: 0 };
    },
  });
  counter.of(one).count += 1;
  // The scope of one request has the database of its process.
  counter.of({ ...one }).count += 1;
  const stop = await startParts(one, [counter]);
  assert.equal(counter.of(one).count, 2);
  assert.equal(counter.of(two).count, 0);
  assert.deepEqual([one.seen, two.seen], [["made"], ["made"]]);
  await stop();
});

test("[WRK10] what has no value is made once, too", () => {
  const scene = openScene();
  const nothing = part("nothing", { make: ({ seen }: Scene) => void seen.push("made") });
  nothing.of(scene);
  nothing.of(scene);
  assert.deepEqual(scene.seen, ["made"]);
});

test("[WRK10] the start makes every part, so that none keeps the scope of a request", async () => {
  const scene = openScene();
  const needed = part("needed", { make: ({ seen }: Scene) => void seen.push("needed") });
  const idle = part("idle", { needs: [needed], make: ({ seen }: Scene) => void seen.push("idle") });
  await startParts(scene, [idle]);
  assert.deepEqual(scene.seen, ["needed", "idle"]);
});

test("[WRK10] a part that asks for what its needs do not name is a bug", async () => {
  const other = part("other", { make: (_scene: Scene) => ({}) });
  const asks = (scene: Scene) => other.of(scene);
  const silent = part("silent", { make: asks });
  const says = /the part "silent" asks for "other", which its needs do not name/;
  assert.throws(() => silent.of(openScene()), says);
  const open = part("open", { needs: [other], make: asks });
  const scene = openScene();
  assert.equal(open.of(scene), other.of(scene));
  const late = part("late", { start: (at: Scene) => (asks(at), () => {}) });
  await assert.rejects(startParts(openScene(), [late]), /the part "late" asks for "other"/);
  // What was refused has left nothing behind: outside of parts anything may be asked for.
  assert.ok(other.of(openScene()));
});

test("[WRK11] parts come after what they need, otherwise in the order in which they are named", () => {
  const base = seenPart("base");
  const left = seenPart("left", [base]);
  const right = seenPart("right", [base]);
  const top = seenPart("top", [right, left]);
  const alone = seenPart("alone");
  const names = (parts: readonly ScenePart[]) => inOrderOfNeeds(parts).map(({ name }) => name);
  assert.deepEqual(names([alone, left, right, base, top]), [
    "alone",
    "base",
    "left",
    "right",
    "top",
  ]);
  assert.deepEqual(names([top, alone]), ["base", "right", "left", "top", "alone"]);
});

test("[WRK11] a circle of needs is refused and named, and so are two parts of one name", async () => {
  const needs: ScenePart[] = [];
  const one = seenPart("one", needs);
  const two = seenPart("two", [one]);
  const three = seenPart("three", [two]);
  needs.push(two);
  assert.throws(() => inOrderOfNeeds([three]), /parts need each other: two → one → two$/);
  const scene = openScene();
  await assert.rejects(startParts(scene, [seenPart("zero"), three]), /parts need each other/);
  assert.deepEqual(scene.seen, []);
  assert.throws(() => inOrderOfNeeds([seenPart("same"), seenPart("same")]), /two parts.* same/);
});

test("[WRK12] parts stop in reverse, each when the one before has stopped", async () => {
  const scene = openScene();
  const ground = seenPart("ground");
  const stop = await startParts(scene, [seenPart("roof", [ground]), seenPart("bell")]);
  assert.deepEqual(scene.seen.splice(0), ["ground starts", "roof starts", "bell starts"]);
  await Promise.all([stop(), stop()]);
  assert.deepEqual(scene.seen, [
    "bell stops",
    "bell has stopped",
    "roof stops",
    "roof has stopped",
    "ground stops",
    "ground has stopped",
  ]);
});

test("[WRK12] a part that fails to stop keeps no other from it", async () => {
  const scene = openScene();
  const ground = seenPart("ground");
  const stop = await startParts(scene, [failing("roof", "stop", [ground]), seenPart("bell")]);
  await assert.rejects(stop(), /roof cannot stop/);
  assert.deepEqual(scene.seen.slice(-4), [
    "bell stops",
    "bell has stopped",
    "ground stops",
    "ground has stopped",
  ]);
});

test("[WRK12] where a part cannot start, those that have started are stopped", async () => {
  const scene = openScene();
  const ground = seenPart("ground");
  const parts = [failing("roof", "start", [ground]), seenPart("bell")];
  await assert.rejects(startParts(scene, parts), /roof cannot start/);
  assert.deepEqual(scene.seen, ["ground starts", "ground stops", "ground has stopped"]);
});

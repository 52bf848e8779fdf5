// Rule BAT38: verbs of a claimed batch in any order, against a model that writes down where each item stands.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { OriginalBody } from "../../kernel/http/input/body.ts";
import type { ConcurrencyLimit } from "../../server/batches/pacing/concurrency-limit.ts";
import { ClaimedBatch, type Attempt } from "../../server/batches/items/claimed-batch.ts";
import {
  unbegun,
  type Chunk,
  type FinishedItem,
  type HeldChunk,
  type Item,
  type ResultGroup,
  type Stage,
  type WaitingItem,
} from "../../server/batches/items/items.ts";

interface ItemModel {
  stage: Stage;
  attempts: number;
  dueMs: number;
  limit: RoomLimit | undefined;
}

interface RoomLimit extends ConcurrencyLimit {
  isOpen: boolean;
}

interface HeldModel {
  lose(): void;
  isEnded: boolean;
}

interface Model {
  batch: ClaimedBatch;
  nowMs: number;
  limits: readonly RoomLimit[];
  /** Of the chunks that are held. */
  items: Map<Chunk, ItemModel[]>;
  holds: Map<Chunk, HeldModel>;
  /** Also those whose chunk was lost. */
  attempts: Attempt[];
  unwritten: Set<FinishedItem>;
  writing: ResultGroup | undefined;
  isUnsure: boolean;
  restsUntilMs: number;
  /** What was written, by lease and index. */
  written: Map<string, number>;
}

const original = {} as OriginalBody;
const bytes = Buffer.from("{}");

function makeModel(): Model {
  const owner = { workspaceId: "one", state: "in_progress" } as ClaimedBatch["owner"];
  const limit = (): RoomLimit => ({
    isOpen: true,
    hasRoom() {
      return this.isOpen;
    },
    hasRoomAtMs: () => 0,
    begin: () => () => {},
    width: 1,
  });
  return {
    batch: new ClaimedBatch("batch", owner),
    nowMs: 0,
    limits: [limit(), limit()],
    items: new Map(),
    holds: new Map(),
    attempts: [],
    unwritten: new Set(),
    writing: undefined,
    isUnsure: false,
    restsUntilMs: 0,
    written: new Map(),
  };
}

const itemOf = ({ items }: Model, { chunk, position }: Item): ItemModel | undefined =>
  items.get(chunk)?.[position];

function expectItem(model: Model, item: Item, stage: Stage): ItemModel {
  const found = itemOf(model, item);
  assert.equal(found?.stage, stage);
  assert.ok(found !== undefined);
  return found;
}

const pick = <T>(all: Iterable<T>, number: number): T | undefined => {
  const list = [...all];
  return list[number % Math.max(1, list.length)];
};

const finishedOf = ({ chunk, position }: Item, length: number): FinishedItem => ({
  chunk,
  position,
  customId: "",
  type: "canceled",
  isRefusal: false,
  line: Buffer.alloc(1 + (length % 7)),
  settledHops: [],
  logged: undefined,
});

/** What is asked of the batch, each with a number that chooses among what there is. */
const verbs: Record<string, (model: Model, number: number) => void> = {
  takeChunk(model, number) {
    const { batch, items, holds } = model;
    const again = number % 5 === 0 ? pick(items.keys(), number) : undefined;
    const id = again?.held.lease.id ?? `chunk_${holds.size}`;
    const lengths = Array.from({ length: 1 + (number % 8) }, () => 3);
    const firstIndex = 100 * holds.size;
    const done = new Set(lengths.keys().filter((at) => (number >> at) % 3 === 0));
    // One that has all of its results is never given away.
    if (done.size === lengths.length) done.delete(0);
    const abort = new AbortController();
    const hold: HeldModel = { lose: () => abort.abort(), isEnded: false };
    const held = {
      row: { firstIndex, lengths },
      lease: { id },
      signal: abort.signal,
      isSure: () => true,
      end: () => void (hold.isEnded = true),
    };
    batch.takeChunk(
      held as unknown as HeldChunk,
      new Set(done.values().map((at) => firstIndex + at)),
    );
    if (again !== undefined) loseInModel(model, again);
    const chunk = [...batch.chunks.keys()].at(-1) as Chunk;
    holds.set(chunk, hold);
    items.set(
      chunk,
      lengths.map((_, at) => ({
        stage: done.has(at) ? "written" : "waiting",
        attempts: 0,
        dueMs: 0,
        limit: undefined,
      })),
    );
  },
  prepare(model, number) {
    const waiting = nextWaiting(model);
    if (waiting === undefined) return;
    const concurrencyLimit = pick([...model.limits, undefined], number);
    model.batch.prepare({ ...waiting, bytes, concurrencyLimit }, original);
    Object.assign(expectItem(model, waiting, "waiting"), {
      stage: "ready",
      limit: concurrencyLimit,
    });
  },
  resolve(model, number) {
    const waiting = nextWaiting(model);
    if (waiting === undefined) return;
    const finished = finishedOf(waiting, number);
    model.batch.resolve(finished);
    expectItem(model, waiting, "waiting").stage = "finished";
    model.unwritten.add(finished);
  },
  begin(model) {
    const attempt = model.batch.begin();
    const open = allItems(model).filter(
      ({ stage, limit }) => stage === "ready" && limit?.isOpen !== false,
    );
    assert.equal(attempt === undefined, open.length === 0, "what can begin begins");
    if (attempt === undefined) return;
    const item = expectItem(model, attempt.item, "ready");
    assert.ok(open.includes(item), "its upstream has no room");
    assert.deepEqual([attempt.item.attempts, attempt.signal.aborted], [item.attempts, false]);
    item.stage = "running";
    model.attempts.push(attempt);
  },
  finish(model, number) {
    const attempt = endOne(model, number);
    if (attempt === undefined) return;
    const finished = finishedOf(attempt.item, number);
    model.batch.finish(attempt.item, finished);
    if (!model.items.has(attempt.item.chunk)) return;
    expectItem(model, attempt.item, "running").stage = "finished";
    model.unwritten.add(finished);
  },
  pause(model, number) {
    const attempt = endOne(model, number);
    if (attempt === undefined) return;
    const how = { attempts: attempt.item.attempts + 1, dueMs: model.nowMs + (number % 20) };
    model.batch.pause(attempt.item, how.attempts, how.dueMs);
    if (model.items.has(attempt.item.chunk))
      Object.assign(expectItem(model, attempt.item, "running"), { ...how, stage: "pausing" });
  },
  putBack(model, number) {
    const attempt = endOne(model, number);
    if (attempt === undefined) return;
    model.batch.putBack(attempt.item);
    if (model.items.has(attempt.item.chunk))
      expectItem(model, attempt.item, "running").stage = "waiting";
  },
  resume(model) {
    model.batch.resume(model.nowMs);
    model.restsUntilMs = 0;
    for (const item of allItems(model))
      if (item.stage === "pausing" && item.dueMs <= model.nowMs) item.stage = "ready";
  },
  rest(model, number) {
    if (number > 300) return;
    model.restsUntilMs = model.nowMs + (number % 10);
    model.batch.rest(model.restsUntilMs);
    for (const item of allItems(model))
      if (item.stage === "pausing" || item.stage === "ready") item.stage = "waiting";
  },
  loseChunk(model, number) {
    const chunk = pick(model.items.keys(), number);
    if (chunk === undefined || number > 300) return;
    if (number % 2 === 0) model.holds.get(chunk)?.lose();
    else model.batch.dropChunk(chunk);
    loseInModel(model, chunk);
    assert.equal(model.holds.get(chunk)?.isEnded, number % 2 === 1, "its lease");
  },
  takeFinished(model) {
    if (model.writing !== undefined || model.unwritten.size === 0) return;
    const group = model.batch.takeFinished();
    assert.deepEqual(new Set(group.items), model.unwritten);
    assert.equal(group.isUnsure, model.isUnsure);
    const all = model.items.entries().filter(([, items]) => items.every(isFinished));
    assert.deepEqual(new Set(group.completes), new Set(all.map(([chunk]) => chunk)));
    model.writing = group;
  },
  /** Some of the chunks may be another process's by then. */
  wrote(model, number) {
    const { batch, writing, items } = model;
    if (writing === undefined) return;
    const gone = number % 3 === 0 ? pick(items.keys(), number) : undefined;
    const written = writing.items.filter(({ chunk }) => chunk !== gone);
    for (const one of written) countWritten(model, one);
    batch.wrote(new Set(written));
    batch.endWriting(model.nowMs);
    model.writing = undefined;
    model.isUnsure = false;
    for (const one of writing.items) model.unwritten.delete(one);
    for (const one of written) {
      const item = itemOf(model, one);
      if (item !== undefined) item.stage = "written";
    }
    if (gone !== undefined && writing.items.some(({ chunk }) => chunk === gone))
      loseInModel(model, gone);
    for (const chunk of writing.completes) items.delete(chunk);
  },
  couldNotWrite(model) {
    if (model.writing === undefined) return;
    model.batch.couldNotWrite();
    model.batch.endWriting(model.nowMs);
    model.writing = undefined;
    model.isUnsure = model.unwritten.size > 0;
  },
  openAndShut(model, number) {
    const limit = pick(model.limits, number);
    if (limit !== undefined) limit.isOpen = !limit.isOpen;
  },
  wait(model, number) {
    model.nowMs += number % 15;
  },
};

const allItems = ({ items }: Model) => [...items.values()].flat();
const isFinished = ({ stage }: ItemModel) => stage === "finished" || stage === "written";

function nextWaiting(model: Model): WaitingItem | undefined {
  const { batch, nowMs } = model;
  const next = batch.nextWaiting(nowMs);
  const due = allItems(model).filter(({ stage, dueMs }) => stage === "waiting" && dueMs <= nowMs);
  assert.equal(next === undefined, due.length === 0, "what waits is read");
  if (next === undefined) return undefined;
  const item = expectItem(model, next, "waiting");
  assert.deepEqual([next.attempts, next.dueMs], [item.attempts, item.dueMs]);
  assert.ok(due.includes(item), "it is not due");
  return next;
}

function endOne({ attempts }: Model, number: number): Attempt | undefined {
  const attempt = pick(attempts, number);
  if (attempt !== undefined) attempts.splice(attempts.indexOf(attempt), 1);
  return attempt;
}

function loseInModel(model: Model, chunk: Chunk): void {
  model.items.delete(chunk);
  for (const one of model.unwritten) if (one.chunk === chunk) model.unwritten.delete(one);
  if (model.unwritten.size === 0) model.isUnsure = false;
}

function countWritten({ written }: Model, { chunk, position }: Item): void {
  const key = `${chunk.held.lease.id} ${chunk.row.firstIndex + position}`;
  written.set(key, (written.get(key) ?? 0) + 1);
}

function check(model: Model): void {
  const { batch, items, attempts, unwritten, nowMs } = model;
  assert.deepEqual([...batch.chunks.keys()], [...items.keys()]);
  const counts = { waiting: 0, ready: 0, running: 0, pausing: 0, finished: 0, written: 0 };
  for (const { stage } of allItems(model)) counts[stage] += 1;
  assert.deepEqual({ ...batch.counts }, counts);
  assert.equal(unbegun(batch.counts), counts.waiting + counts.ready + counts.pausing);
  assert.equal(batch.underWay, attempts.length);
  assert.equal(batch.dueMs.length, counts.pausing);
  const limits = allItems(model).filter(({ stage }) => stage === "ready");
  assert.equal(batch.opensMs.length, new Set(limits.map(({ limit }) => limit)).size);
  const lines = [...unwritten].map(({ line }) => line.length);
  assert.equal(
    batch.unwrittenBytes,
    lines.reduce((sum, length) => sum + length, 0),
  );
  assert.equal(batch.isWriting, model.writing !== undefined);
  assert.equal(batch.mayBegin(nowMs), !model.isUnsure && nowMs >= model.restsUntilMs);
  for (const { item, signal } of attempts)
    assert.equal(signal.aborted, !items.has(item.chunk), "what is lost is ended, and nothing else");
  for (const [key, times] of model.written) assert.equal(times, 1, `${key} was written again`);
}

/** With all upstreams open and no fault any more, everything that is held gets its result. */
function comeToRest(model: Model): void {
  for (const limit of model.limits) limit.isOpen = true;
  for (let rounds = 0; model.items.size > 0; rounds++) {
    assert.ok(rounds < 200, "it comes to no end");
    for (const name of ["wait", "resume", "prepare", "begin", "finish", "takeFinished", "wrote"]) {
      verbs[name]?.(model, 1);
      check(model);
    }
  }
}

/** Most of them are the way of an item without a fault, or few would come far. */
const usual = ["prepare", "prepare", "begin", "begin", "finish", "pause", "wait", "resume"];
const names = [...Object.keys(verbs), ...usual];
const story = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(999)), {
  minLength: 20,
  maxLength: 100,
  size: "max",
});

test("[BAT38] whatever happens to a batch here, each item stands in one place and is written once", () => {
  const told = new Map<string, number>();
  fc.assert(
    fc.property(story, (acts) => {
      const model = makeModel();
      verbs["takeChunk"]?.(model, 7);
      for (const [name, number] of acts) {
        const before = JSON.stringify(model.batch.counts);
        verbs[name]?.(model, number);
        if (JSON.stringify(model.batch.counts) !== before)
          told.set(name, (told.get(name) ?? 0) + 1);
        check(model);
      }
      comeToRest(model);
    }),
    { numRuns: 500 },
  );
  const unmoved = ["takeFinished", "couldNotWrite", "openAndShut", "wait"];
  for (const name of Object.keys(verbs))
    if (!unmoved.includes(name)) assert.ok((told.get(name) ?? 0) > 20, `${name} moved nothing`);
});

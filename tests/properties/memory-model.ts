// Memories as a naive model has them: a map of paths for each store, and a list of all that was written.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { Failure } from "../../kernel/base/failure.ts";
import type { MemoryContent, LiveMemory, MemoryWrite } from "../../server/memory/memories/apply.ts";
import type { Quotas } from "../../server/memory/settings.ts";

export const contentOf = (text: string): MemoryContent => ({
  text,
  bytes: Buffer.byteLength(text),
  sha256: createHash("sha256").update(text).digest("hex"),
});

interface ModelMemory {
  id: string;
  text: string;
}

export interface ModelStore {
  archived: boolean;
  /** By path. */
  live: Map<string, ModelMemory>;
  /** Added to those that live: a store that was nearly full before the story began. */
  others: number;
}

export interface Written {
  storeId: string;
  memoryId: string;
  operation: "created" | "modified" | "deleted";
  path: string;
  text: string | null;
}

export interface Model {
  stores: Map<string, ModelStore>;
  written: Written[];
}

/** What became of a write: where it stands and what it says, or why not. */
export type Ended =
  | { path: string; sha256: string; bytes: number }
  | { gone: true }
  | { failed: string; conflicts?: string[] };

const memoriesMax = 2_000;

export const bytesOf = ({ written }: Model, storeId?: string) =>
  written
    .filter((version) => storeId === undefined || version.storeId === storeId)
    .reduce((sum, { text }) => sum + Buffer.byteLength(text ?? ""), 0);

export function modelWrite(model: Model, write: MemoryWrite, { bytesMax }: Quotas): Ended {
  const { storeId, memoryId } = write;
  const store = model.stores.get(storeId);
  if (store === undefined) return { failed: "not_found_error" };
  const [path, memory] = [...store.live].find(([, { id }]) => id === memoryId) ?? [];
  if (write.act !== "create" && (path === undefined || memory === undefined))
    return { failed: "not_found_error" };
  if (write.act !== "delete" && store.archived) return { failed: "memory_store_archived" };
  const next = { path: path ?? "", text: memory?.text ?? "" };
  if (write.act !== "delete" && write.path !== null) next.path = write.path;
  if (write.act !== "delete" && write.content !== null) next.text = write.content.text;
  const isSame = next.path === path && next.text === memory?.text;
  const end = { path: next.path, sha256: contentOf(next.text).sha256 };
  const ended = { ...end, bytes: Buffer.byteLength(next.text) };
  if (write.act === "update" && isSame) return ended;
  if (write.act !== "create" && write.expectedSha256 !== null)
    if (write.expectedSha256 !== contentOf(memory?.text ?? "").sha256)
      return { failed: "memory_precondition_failed_error" };
  if (write.act === "delete") {
    store.live.delete(path ?? "");
    model.written.push({ storeId, memoryId, operation: "deleted", path: path ?? "", text: null });
    return { gone: true };
  }
  const conflicts = [...store.live]
    .filter(([other, { id }]) => id !== memoryId && excludes(other, next.path))
    .map(([, { id }]) => id);
  if (conflicts.length > 0) return { failed: "memory_path_conflict_error", conflicts };
  const isNew = write.act === "create";
  if (isNew && store.live.size + store.others >= memoriesMax)
    return { failed: "memory_limit_exceeded" };
  if (bytesOf(model) + ended.bytes > bytesMax) return { failed: "storage_quota_exceeded" };
  if (path !== undefined) store.live.delete(path);
  store.live.set(next.path, { id: memoryId, text: next.text });
  const operation = isNew ? "created" : "modified";
  model.written.push({ storeId, memoryId, operation, ...next });
  return ended;
}

/** Segment by segment: the shorter one is how the longer one begins. */
function excludes(one: string, other: string): boolean {
  const [a, b] = [one.split("/"), other.split("/")];
  return a.slice(0, b.length).join("/") === b.slice(0, a.length).join("/");
}

/** What the code said of it, in the words of the model. */
export function endedAs(outcome: { head: LiveMemory | null } | { failure: unknown }): Ended {
  if ("failure" in outcome) {
    if (!(outcome.failure instanceof Failure)) throw outcome.failure;
    const { type, options } = outcome.failure;
    const conflict = options.fields?.["conflicting_memory_id"] as string | undefined;
    const failed = options.code ?? type;
    return conflict === undefined ? { failed } : { failed, conflicts: [conflict] };
  }
  if (outcome.head === null) return { gone: true };
  const { path, sha256, bytes } = outcome.head;
  return { path, sha256, bytes };
}

/** Any of the memories in its way may be named. */
export function named(expected: Ended, seen: Ended): Ended {
  if (!("failed" in expected) || !("failed" in seen)) return expected;
  const [first] = seen.conflicts ?? [];
  return first !== undefined && expected.conflicts?.includes(first)
    ? { ...expected, conflicts: [first] }
    : expected;
}

/** A step as it is drawn: which memory and which hash it means is found when it is its turn. */
export interface Step {
  act: "create" | "update" | "delete";
  store: number;
  /** Among those that live, or among all that were ever made and one more that never was. */
  memory: number;
  lives: boolean;
  path: string | null;
  text: string | null;
  expects: "nothing" | "the head" | "another";
}

export const storeNames = ["s0", "s1", "s2"];
const segment = fc.constantFrom("a", "b", "a0", "a.");
const paths = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => `/${segments.join("/")}`);
const texts = fc.constantFrom("", "one", "two", "é\r\n", "three words here", "x".repeat(40));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom("create", "create", "create", "update", "update", "update", "delete"),
  store: fc.constantFrom(0, 0, 0, 1, 2, 3),
  memory: fc.nat(200),
  lives: fc.constantFrom(true, true, true, true, false),
  path: orNull(paths),
  text: orNull(texts),
  expects: fc.constantFrom("nothing", "nothing", "the head", "another"),
});

/** Groups of steps, and what happens to a store before each. */
export const stories = (groupsMax: number) =>
  fc.array(
    fc.record({
      steps: fc.array(step, { minLength: 1, maxLength: 12 }),
      archives: fc.nat(90).map((at) => (at < storeNames.length ? at : null)),
    }),
    { minLength: 1, maxLength: groupsMax },
  );

/** `ids`: of all memories that a story made so far; a creation adds its own. */
export function writeOf(
  drawn: Step,
  model: Model,
  ids: string[],
  nextId: () => string,
): MemoryWrite {
  const storeId = storeNames[drawn.store] ?? "nowhere";
  const author = { type: "api", id: "apikey_1" } as const;
  if (drawn.act === "create") {
    const memoryId = nextId();
    ids.push(memoryId);
    const content = contentOf(drawn.text ?? "");
    return { act: "create", storeId, memoryId, author, path: drawn.path ?? "/a", content };
  }
  const live = [...model.stores.values()].flatMap((store) => [...store.live.values()]);
  const among = drawn.lives && live.length > 0 ? live.map(({ id }) => id) : [...ids, "mem_never"];
  const memoryId = among[drawn.memory % among.length] ?? "";
  // Mostly the store that it is in: else nothing is found.
  const home = [...model.stores].find(([, { live }]) =>
    live.values().some(({ id }) => id === memoryId),
  );
  const where = drawn.store === 3 || home === undefined ? storeId : home[0];
  const text = home?.[1].live.values().find(({ id }) => id === memoryId)?.text;
  const expectedSha256 =
    drawn.expects === "nothing"
      ? null
      : contentOf(drawn.expects === "the head" ? (text ?? "") : "something else").sha256;
  const some = { storeId: where, memoryId, author, expectedSha256 };
  if (drawn.act === "delete") return { act: "delete", ...some };
  const content = drawn.text === null ? null : contentOf(drawn.text);
  return { act: "update", ...some, path: drawn.path, content };
}

export const emptyModel = (): Model => ({
  stores: new Map(storeNames.map((id) => [id, { archived: false, live: new Map(), others: 0 }])),
  written: [],
});

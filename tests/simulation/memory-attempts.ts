// What was promised of each attempt at a memory, against what is there.
import assert from "node:assert/strict";
import { hashOf, type Attempt } from "./memory-acts.ts";
import type { MemoryFound, VersionFound } from "./memory-check.ts";

export interface Kept {
  done: number;
  refused: number;
  unknown: number;
  /** Saved, though no client heard how they ended. */
  secretlySaved: number;
  redacted: number;
  swept: number;
  storesGone: number;
  preconditions: number;
}

interface Records {
  found: MemoryFound;
  versions: Map<string, VersionFound>;
  /** By memory, oldest first. */
  histories: Map<string, VersionFound[]>;
  byText: Map<string, VersionFound[]>;
  /** For certain, or perhaps. */
  storesDeleted: Set<string>;
  redacted: Set<string>;
  aged: Set<string>;
}

export function checkAttempts(attempts: readonly Attempt[], found: MemoryFound): Kept {
  const some = (act: Attempt["act"], of: (attempt: Attempt) => string | null) =>
    new Set(
      attempts.flatMap((attempt) =>
        attempt.act === act && attempt.end !== "refused" ? [of(attempt) ?? ""] : [],
      ),
    );
  const records: Records = {
    found,
    versions: new Map(found.versions.map((version) => [version.id, version])),
    histories: Map.groupBy(found.versions, ({ memory_id }) => memory_id),
    byText: Map.groupBy(found.versions, ({ content }) => content ?? ""),
    storesDeleted: some("delete store", ({ storeId }) => storeId),
    redacted: some("redact", ({ versionId }) => versionId),
    aged: some("age", ({ workspaceId }) => workspaceId),
  };
  const kept: Kept = {
    done: 0,
    refused: 0,
    unknown: 0,
    secretlySaved: 0,
    redacted: 0,
    swept: 0,
    storesGone: 0,
    preconditions: 0,
  };
  for (const attempt of attempts) {
    if (attempt.end === "unheard") kept.unknown += 1;
    else kept[attempt.end] += 1;
    checkText(records, attempt, kept);
    if (attempt.end === "done") checkDone(records, attempt, kept);
  }
  return kept;
}

/** Each text is of one attempt: one memory has it, and none if the attempt was refused. */
function checkText({ found, byText }: Records, { act, text, end, why }: Attempt, kept: Kept): void {
  if (text === null) return;
  if (act === "create store") {
    const named = found.stores.filter(({ name }) => name === text).length;
    assert.ok(named <= 1, `two stores of ${text}`);
    if (end === "refused") assert.equal(named, 0, `${text} was refused (${why}), and is there`);
    return;
  }
  const written = byText.get(text) ?? [];
  if (end === "refused") assert.deepEqual(written, [], `${text} was refused (${why})`);
  assert.ok(new Set(written.map(({ memory_id }) => memory_id)).size <= 1, `${text} twice`);
  if (end !== "done" && written.length > 0) kept.secretlySaved += 1;
}

function checkDone(records: Records, attempt: Attempt, kept: Kept): void {
  const { found, storesDeleted, histories } = records;
  const { act, storeId, memoryId } = attempt;
  const store = found.stores.find(({ id }) => id === storeId);
  const label = JSON.stringify(attempt);
  if (act === "delete store") {
    assert.equal(store, undefined, label);
    kept.storesGone += 1;
    return;
  }
  if (act === "age" || act === "sweep" || act === "words") return;
  if (store === undefined) {
    assert.ok(storesDeleted.has(storeId ?? ""), `${label}: its store is gone`);
    return;
  }
  if (act === "archive store") assert.ok(store.archived_at !== null, label);
  if (act === "delete") {
    assert.ok(!found.heads.some(({ id }) => id === memoryId), `${label}: it lives`);
    const last = histories.get(memoryId ?? "")?.at(-1);
    assert.ok(last === undefined || last.operation === "deleted", label);
  }
  if (act === "redact" || act === "create" || act === "update")
    checkVersion(records, attempt, kept);
}

function checkVersion(records: Records, attempt: Attempt, kept: Kept): void {
  const { found, versions, histories, redacted, aged } = records;
  const { act, workspaceId, memoryId, versionId, text, path, expectedSha256 } = attempt;
  const label = JSON.stringify(attempt);
  const version = versions.get(versionId ?? "");
  if (version === undefined) {
    assert.ok(aged.has(workspaceId), `${label}: nothing was old, and it is gone`);
    const id = memoryId ?? "";
    const isLive = found.heads.some((head) => head.id === id);
    const newer = histories.get(id)?.length ?? 0;
    if (act !== "redact" && isLive) assert.ok(newer >= 10, `${label}: among the ten newest`);
    kept.swept += 1;
    return;
  }
  if (act === "redact") {
    assert.ok(version.redacted_at !== null, `${label}: it is back`);
    kept.redacted += 1;
    return;
  }
  if (version.redacted_at !== null) {
    assert.ok(redacted.has(version.id), `${label}: nobody redacted it`);
    return;
  }
  if (text !== null) assert.equal(version.content, text, label);
  if (path !== null) assert.equal(version.path, path, label);
  if (expectedSha256 === null || text === null) return;
  const history = histories.get(version.memory_id) ?? [];
  const before = history[history.indexOf(version) - 1];
  if (before === undefined || before.redacted_at !== null) return;
  assert.equal(hashOf(before.content ?? ""), expectedSha256, `${label}: an update was lost`);
  kept.preconditions += 1;
}

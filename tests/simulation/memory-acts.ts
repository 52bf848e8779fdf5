// What the clients of simulated memory stores ask: each text and each name is used once, so that it can be found again.
import { createHash } from "node:crypto";
import type { Random } from "../../kernel/base/random.ts";
import type { Context } from "../../kernel/context.ts";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/memory/limits.ts";
import { createMemory, deleteMemory, updateMemory } from "../../server/memory/memories/service.ts";
import { lockWorkspace } from "../../server/memory/memories/queries-write.ts";
import type { Memory } from "../../server/memory/schema.ts";
import { archiveStore, createStore, deleteStore } from "../../server/memory/stores/service.ts";
import { redactVersion } from "../../server/memory/versions.ts";

export interface Attempt {
  act:
    | "create"
    | "update"
    | "delete"
    | "redact"
    | "create store"
    | "archive store"
    | "delete store"
    | "age"
    | "sweep"
    | "words";
  workspaceId: string;
  storeId: string | null;
  memoryId: string | null;
  /** Of this attempt alone: the name of a store, too. */
  text: string | null;
  path: string | null;
  expectedSha256: string | null;
  /** That it made, or that it redacts. */
  versionId: string | null;
  /** Its client got no answer, if its process died. */
  end: "unheard" | "done" | "refused" | "unknown";
  why: string | null;
}

interface Doing {
  attempt: Attempt;
  work: () => Promise<void>;
}

export const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

const names = ["a", "b", "c"];
const storesMax = 2;

/** What a client knows of a memory: as it was last answered. */
interface Known {
  storeId: string;
  memoryId: string;
  text: string;
}

export function nextAct(
  context: Context,
  attempts: readonly Attempt[],
  random: Random,
): Doing | undefined {
  const { workspaceId } = context.who;
  const mine = attempts.filter((attempt) => attempt.workspaceId === workspaceId);
  const acknowledged = mine.filter(({ end }) => end === "done");
  const pick = <T>(from: readonly T[]) => from[Math.floor(random.fraction() * from.length)];
  const gone = new Set(
    acknowledged.flatMap(({ act: kind, storeId }) => (kind === "delete store" ? [storeId] : [])),
  );
  const stores = acknowledged
    .filter(({ act: kind, storeId }) => kind === "create store" && !gone.has(storeId))
    .map(({ storeId }) => storeId ?? "");
  const base: Attempt = {
    act: "sweep",
    workspaceId: workspaceId ?? "",
    storeId: null,
    memoryId: null,
    text: `w${attempts.length}`,
    path: null,
    expectedSha256: null,
    versionId: null,
    end: "unheard",
    why: null,
  };
  const chance = random.fraction();
  const storeId = pick(stores.slice(-storesMax));
  if (storeId === undefined || (stores.length < storesMax && chance < 0.05))
    return makeStore(context, { ...base, act: "create store" });
  if (chance < 0.012) return endStore(context, { ...base, act: "archive store", storeId });
  if (chance < 0.024) return endStore(context, { ...base, act: "delete store", storeId });
  if (chance < 0.045)
    return keep(context, { ...base, act: pick(["age", "sweep", "words"]) ?? "age" }, random);
  const path = `/${Array.from({ length: 1 + Math.floor(random.fraction() * 3) }, () => pick(names)).join("/")}`;
  const known = pick(knownIn(acknowledged, storeId));
  if (known === undefined || chance < 0.3)
    return create(context, { ...base, act: "create", storeId, path });
  const written = acknowledged.filter(
    ({ versionId, act: kind, storeId: where }) =>
      versionId !== null && kind !== "redact" && where === storeId,
  );
  if (chance < 0.38) {
    const version = pick(written);
    const versionId = version?.versionId ?? null;
    return redact(context, { ...base, act: "redact", storeId, versionId, text: null });
  }
  const expectedSha256 = random.fraction() < 0.5 ? hashOf(known.text) : null;
  const some = { ...base, storeId, memoryId: known.memoryId, expectedSha256 };
  if (chance < 0.45) return remove(context, { ...some, act: "delete", text: null });
  const what = random.fraction();
  return update(context, {
    ...some,
    act: "update",
    text: what < 0.25 ? null : base.text,
    path: what < 0.6 ? path : null,
  });
}

/** The last five, as they were last heard of; those that were deleted are among them. */
function knownIn(acknowledged: readonly Attempt[], storeId: string): Known[] {
  const known = new Map<string, Known>();
  for (const { act: kind, storeId: where, memoryId, text } of acknowledged) {
    if (where !== storeId || memoryId === null || (kind !== "create" && kind !== "update"))
      continue;
    known.set(memoryId, { storeId, memoryId, text: text ?? known.get(memoryId)?.text ?? "" });
  }
  return [...known.values()].slice(-5);
}

const params = ({ storeId, memoryId }: Attempt) => ({
  memory_store_id: storeId ?? "",
  memory_id: memoryId ?? "",
});

function note(attempt: Attempt, { id, memory_version_id }: Memory): void {
  attempt.memoryId = id;
  attempt.versionId = memory_version_id;
}

function create(context: Context, attempt: Attempt): Doing {
  const body = { path: attempt.path ?? "", content: attempt.text };
  return {
    attempt,
    work: async () => note(attempt, await createMemory(context, attempt.storeId ?? "", body, {})),
  };
}

function update(context: Context, attempt: Attempt): Doing {
  const { text, path, expectedSha256 } = attempt;
  const body = { content: text, path, content_sha256: expectedSha256 };
  return {
    attempt,
    work: async () => note(attempt, await updateMemory(context, params(attempt), body, {})),
  };
}

function remove(context: Context, attempt: Attempt): Doing {
  const { expectedSha256 } = attempt;
  return {
    attempt,
    work: async () => {
      await deleteMemory(context, params(attempt), expectedSha256 ?? undefined);
    },
  };
}

function redact(context: Context, attempt: Attempt): Doing {
  const where = {
    memory_store_id: attempt.storeId ?? "",
    memory_version_id: attempt.versionId ?? "",
  };
  return {
    attempt,
    work: async () => {
      await redactVersion(context, where, {});
    },
  };
}

function makeStore(context: Context, attempt: Attempt): Doing {
  return {
    attempt,
    work: async () => {
      const { id } = await createStore(context, { name: attempt.text ?? "" });
      attempt.storeId = id;
    },
  };
}

function endStore(context: Context, attempt: Attempt): Doing {
  const end = attempt.act === "archive store" ? archiveStore : deleteStore;
  return {
    attempt,
    work: async () => {
      await end(context, attempt.storeId ?? "");
    },
  };
}

/** What jobs do at night or each minute; and what the sweep can find: a part of all versions ages by a month. */
function keep(context: Context, attempt: Attempt, random: Random): Doing {
  const { db, who } = context;
  const workspaceId = who.workspaceId ?? "";
  const ms = limits.retentionMs + 60 * 60 * 1000;
  const part = random.fraction();
  return {
    attempt,
    work: () =>
      db.tx(async (tx) => {
        if (attempt.act !== "age") {
          const kind = `memory.${attempt.act}`;
          await enqueue(tx, context, { kind, payload: {}, attemptsMax: 1_000 });
          return;
        }
        const workspace = await lockWorkspace(tx, workspaceId);
        await tx.query(sql`
          update memory_versions set created_at = created_at - ${ms} * interval '1 millisecond'
          where seq <= ${Math.floor((workspace?.seq ?? 0) * part)} and store_id in
            (select id from memory_stores where workspace_id = ${workspaceId})`);
      }),
  };
}

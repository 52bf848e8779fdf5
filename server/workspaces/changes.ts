// Changes in a workspace that open connections are told of, in every process: a notice makes them look again.
import { createHash } from "node:crypto";
import type { Hints } from "../../kernel/sql/hints.ts";
import type { Tx } from "../../kernel/sql/database.ts";

export type WorkspaceChange =
  /** One memory at a path. */
  | { of: "memory"; storeId: string; path: string }
  /** Any memory of it, and the store itself. */
  | { of: "memory_store"; id: string }
  | { of: "file"; id: string }
  /** What is known of it; what happens in it is in its log. */
  | { of: "session"; id: string }
  /** Something of the list has come, has gone or has another name. */
  | { of: "list"; list: ChangingList };

export type ChangingList = "memories" | "files" | "sessions" | "skills";

const channel = "workspace_changes";
/** A transaction that changes more in one store is told as a change of the store. */
const memoriesToldMax = 50;

/** Names what changed; a path may be long, and is told by its hash. */
export function changeKey(change: WorkspaceChange): string {
  if (change.of === "list") return `list ${change.list}`;
  if (change.of !== "memory") return `${change.of} ${change.id}`;
  const sha256 = createHash("sha256").update(change.path).digest("base64url");
  return `memory ${change.storeId} ${sha256}`;
}

/** Told to all processes once the transaction has committed. */
export function tellChanges(
  tx: Tx,
  { hints }: { hints: Hints },
  workspaceId: string,
  changes: readonly WorkspaceChange[],
): void {
  const memories = changes.filter(({ of }) => of === "memory").length;
  const keys = changes.map((change) =>
    memories > memoriesToldMax && change.of === "memory"
      ? changeKey({ of: "memory_store", id: change.storeId })
      : changeKey(change),
  );
  tx.afterCommit(() => {
    for (const key of new Set(keys)) hints.send(channel, `${workspaceId} ${key}`);
  });
}

/** With the key of a change, or with `*`, which means that anything may have changed. */
type Listener = (key: string) => void;

/** By the connection that a process hears notices on: one listener there for all of its own. */
const heard = new WeakMap<Hints, Map<string, Set<Listener>>>();

export function hearChanges(
  { hints }: { hints: Hints },
  workspaceId: string,
  listener: Listener,
): () => void {
  const byWorkspace = heard.get(hints) ?? listen(hints);
  const listeners = byWorkspace.get(workspaceId) ?? new Set();
  byWorkspace.set(workspaceId, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) byWorkspace.delete(workspaceId);
  };
}

function listen(hints: Hints): Map<string, Set<Listener>> {
  const byWorkspace = new Map<string, Set<Listener>>();
  heard.set(hints, byWorkspace);
  hints.listen(channel, (told) => {
    const end = told.indexOf(" ");
    const [all, key] =
      told === "*" ? [byWorkspace.values(), "*"] : [oneOf(told.slice(0, end)), told.slice(end + 1)];
    for (const listeners of all) for (const listener of listeners) listener(key);
  });
  const oneOf = (workspaceId: string) => {
    const listeners = byWorkspace.get(workspaceId);
    return listeners === undefined ? [] : [listeners];
  };
  return byWorkspace;
}

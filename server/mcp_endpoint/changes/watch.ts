// Watches what a client wants to be told of, and tells it no faster than it takes what it is told.
import type { Context, Principal } from "../../../kernel/context.ts";
import { followSession } from "../../sessions/module.ts";
import { changeKey, hearChanges, workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import type { Wanted, WatchedUri } from "./wanted.ts";

/** The caller as they are now; undefined where the credential is good no more. */
export type Caller = () => Promise<Principal | undefined>;

export type Notice = { list: "resources" | "prompts" } | { uri: string };

export interface WatchOptions {
  caller: Caller;
  /** The client has taken what it was told before. */
  taken(): Promise<void>;
  tell(notice: Notice): void;
  /** The caller may no longer be told what they were promised. */
  ended(): void;
}

export interface Watch {
  /** Resolves when no later change is missed. */
  follow(watched: WatchedUri): Promise<void>;
  unfollow(uri: string): void;
  followed(): string[];
  start(): void;
  stop(): void;
}

interface Watching {
  context: Context;
  options: WatchOptions;
  over: AbortController;
  /** What is told with the key of a change. */
  told: Map<string, Map<string, Notice>>;
  /** Stops of those that are followed, by address. */
  followed: Map<string, () => void>;
  pending: Map<string, Notice>;
  wake: PromiseWithResolvers<void>;
}

/** From now on nothing is missed; it is told from `start` on. */
export async function openWatch(
  context: Context,
  { resources, prompts, uris }: Wanted,
  options: WatchOptions,
): Promise<Watch> {
  const watching: Watching = {
    context,
    options,
    over: new AbortController(),
    told: new Map(),
    followed: new Map(),
    pending: new Map(),
    wake: Promise.withResolvers(),
  };
  const deaf = hearChanges(context, workspaceOf(context), (key) => {
    const all = key === "*" ? watching.told.values() : [watching.told.get(key) ?? new Map()];
    for (const notices of all) for (const notice of notices.values()) note(watching, notice);
  });
  for (const list of resources)
    on(watching, changeKey({ of: "list", list }), { list: "resources" });
  if (prompts) on(watching, changeKey({ of: "list", list: "skills" }), { list: "prompts" });
  const stop = () => {
    deaf();
    watching.over.abort();
    for (const unfollow of watching.followed.values()) unfollow();
    watching.wake.resolve();
  };
  try {
    await Promise.all(uris.map((watched) => follow(watching, watched)));
  } catch (error) {
    stop();
    throw error;
  }
  return {
    follow: (watched) => follow(watching, watched),
    followed: () => [...watching.followed.keys()],
    unfollow: (uri) => watching.followed.get(uri)?.(),
    start: () => {
      void tellPending(watching);
      lookAtCaller(watching).catch((error: unknown) => {
        context.logger.error({ err: error }, "looking at the caller of a stream of notices failed");
        options.ended();
      });
    },
    stop,
  };
}

const nameOf = (notice: Notice) => ("uri" in notice ? notice.uri : notice.list);

function note({ pending, wake }: Watching, notice: Notice): void {
  pending.set(nameOf(notice), notice);
  wake.resolve();
}

function on({ told }: Watching, key: string, notice: Notice): void {
  const notices = told.get(key) ?? new Map<string, Notice>();
  told.set(key, notices.set(nameOf(notice), notice));
}

function off({ told }: Watching, key: string, notice: Notice): void {
  const notices = told.get(key);
  notices?.delete(nameOf(notice));
  if (notices?.size === 0) told.delete(key);
}

async function follow(watching: Watching, { uri, named }: WatchedUri): Promise<void> {
  const { context, followed, over } = watching;
  if (followed.has(uri)) return;
  const left = new AbortController();
  const notice = { uri };
  const keys = keysOf(named);
  for (const key of keys) on(watching, key, notice);
  followed.set(uri, () => {
    for (const key of keys) off(watching, key, notice);
    followed.delete(uri);
    left.abort();
  });
  if (named.kind !== "transcript") return;
  const signal = AbortSignal.any([left.signal, over.signal]);
  const events = await followSession(context, named.session_id, signal);
  const hear = async () => {
    for await (const _event of events) if (!signal.aborted) note(watching, notice);
  };
  hear().catch((error: unknown) => {
    context.logger.error({ err: error, uri }, "following a session for a client of MCP failed");
    watching.options.ended();
  });
}

function keysOf(named: WatchedUri["named"]): string[] {
  if (named.kind === "file") return [changeKey({ of: "file", id: named.file_id })];
  if (named.kind === "transcript") return [changeKey({ of: "session", id: named.session_id })];
  const { memory_store_id: storeId, path } = named;
  return [
    changeKey({ of: "memory", storeId, path }),
    changeKey({ of: "memory_store", id: storeId }),
  ];
}

/** Rule MCE34: at once, and then no more than twice a second. */
async function tellPending(watching: Watching): Promise<void> {
  const { context, options, over, pending } = watching;
  for (;;) {
    await watching.wake.promise;
    await options.taken();
    if (over.signal.aborted) return;
    watching.wake = Promise.withResolvers();
    const notices = [...pending.values()];
    pending.clear();
    for (const notice of notices) options.tell(notice);
    if (!(await context.clock.sleep(limits.noticeEveryMs, over.signal))) return;
  }
}

/** Rule MCE35: a credential that was revoked, or may less or more than it might, ends the stream. */
async function lookAtCaller({ context, options, over }: Watching): Promise<void> {
  const before = permissionsOf(context.who);
  while (await context.clock.sleep(limits.callerLookMs, over.signal)) {
    const now = await options.caller();
    if (now !== undefined && permissionsOf(now) === before) continue;
    if (!over.signal.aborted) options.ended();
    return;
  }
}

const permissionsOf = ({ permissions, workspaceId }: Principal) =>
  [workspaceId, ...[...permissions].sort()].join(" ");

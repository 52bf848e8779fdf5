// Brings the two sides of a store together that the agent may write to: what changed on one side goes to the other, and
// what changed on both stays as the store has it, with the agent's text put aside.
import { actOnFiles, type FileAct, type Found, readFiles } from "../inside.ts";
import { limits } from "../limits.ts";
import { conflictsPlace } from "../places.ts";
import { StoreRefusal } from "../side.ts";
import { hashOf, type LocalFile, lookAt } from "./local.ts";
import { decide, type MountedStoreState, readRemote, type StoreWork, takeOver } from "./store.ts";

interface Round {
  work: StoreWork;
  state: MountedStoreState;
  local: ReadonlyMap<string, LocalFile>;
  /** Files that are left as they are this time. */
  waiting: ReadonlySet<string>;
  /** Something was otherwise than it had been seen: both sides are looked at again. */
  isAgain: boolean;
}

/** `list` looks at the agent's side anew; beside a call a file that is just being written is left for the next time. */
export async function bringTogether(
  work: StoreWork,
  state: MountedStoreState,
  list: () => Promise<{ found: readonly Found[]; isPartial: boolean }>,
  { isBeside = false }: { isBeside?: boolean } = {},
): Promise<void> {
  let waiting: ReadonlySet<string> = new Set();
  for (let round = 1; round <= limits.roundsMax; round++) {
    const { found, isPartial } = await list();
    const { seen, mount, side } = state;
    if (isBeside && round === 1) waiting = leaveUnsettled(state, found);
    const local = await lookAt(work.sandbox, { root: mount.path, rules: side }, { found, seen });
    // Read after the files: what is not there any more was not there when its absence is told to the store.
    if (!(await readRemote(work, state))) return;
    await takeOver(state, local);
    const now: Round = { work, state, local, waiting, isAgain: false };
    const decided = decideAll(now, isPartial);
    if (isPartial) tellPartial(now);
    try {
      await putAside(now, decided.conflict);
      await give(now, decided.give);
      await take(now, decided.take);
    } finally {
      await side.remember?.(state.base);
    }
    if (!now.isAgain) return;
  }
}

function leaveUnsettled(state: MountedStoreState, found: readonly Found[]): ReadonlySet<string> {
  const root = state.mount.path;
  const unsettled = found
    .filter(({ path, isSettled }) => !isSettled && path.startsWith(`${root}/`))
    .map(({ path }) => path.slice(root.length));
  const before = state.unsettled;
  state.unsettled = new Set(unsettled);
  return new Set(unsettled.filter((path) => !before.has(path)));
}

function tellPartial({ work, state }: Round): void {
  const { storeId, path, name } = state.mount;
  const text = `${path} cannot be read whole: there are too many files, or folders that may not be read. What was deleted there stays in the memory store ${name}.`;
  work.notes.tell({ kind: "refused", storeId, text }, path, "partial");
}

function decideAll({ state, local, waiting }: Round, isPartial: boolean) {
  const { base, remote } = state;
  const decided = { take: [] as string[], give: [] as string[], conflict: [] as string[] };
  for (const path of new Set([...local.keys(), ...base.keys(), ...remote.keys()])) {
    if (waiting.has(path)) continue;
    const sides = {
      base: base.get(path),
      local: local.get(path)?.sha256,
      remote: remote.get(path)?.sha256,
    };
    // It may be there, unseen.
    if (isPartial && sides.local === undefined) continue;
    const decision = decide(sides);
    if (decision !== "same") decided[decision].push(path);
    else agree(state, path, sides.remote);
  }
  return decided;
}

function agree({ base }: MountedStoreState, path: string, sha256: string | undefined): void {
  if (sha256 === undefined) base.delete(path);
  else base.set(path, sha256);
}

/** From the store to the files. Where a file has changed since it was seen, nothing is done to it. */
async function take(round: Round, paths: readonly string[]): Promise<void> {
  const { state, local } = round;
  const expected = (path: string) => local.get(path)?.sha256 ?? null;
  const gone = paths.filter((path) => !state.remote.has(path));
  await actAll(
    round,
    gone.map((path) => ({ act: "remove", path, expectedSha256: expected(path) })),
  );
  const memories = paths.flatMap((path) => state.remote.get(path) ?? []);
  for await (const texts of state.side.texts(memories))
    await actAll(
      round,
      texts.map(({ memory: { path }, content }) => ({
        act: "put",
        path,
        expectedSha256: expected(path),
        content,
      })),
    );
}

async function actAll(round: Round, acts: readonly FileAct[]): Promise<void> {
  const { work, state } = round;
  const { mount, remote } = state;
  if (acts.length === 0) return;
  const done = await actOnFiles(work.sandbox, mount.path, acts);
  for (const [at, { path }] of acts.entries()) {
    const sha256 = remote.get(path)?.sha256;
    if (done[at] === "done") {
      agree(state, path, sha256);
      work.notes.settle(mount.path + path);
    } else if (done[at] === "changed") round.isAgain = true;
    else {
      const text = `${mount.path}${path} could not be brought to what the memory store ${mount.name} holds: something is in its way, or there is no room.`;
      const note = { kind: "refused", storeId: mount.storeId, text } as const;
      work.notes.tell(note, mount.path + path, `not written ${sha256}`);
    }
  }
}

async function putAside(round: Round, paths: readonly string[], why?: string): Promise<void> {
  const { work, state } = round;
  const { mount, remote, base } = state;
  if (paths.length === 0) return;
  const stamp = work.clock.now().toISOString().replaceAll(/[:.]/g, "-");
  const store = mount.path.slice(mount.path.lastIndexOf("/"));
  state.conflicts += 1;
  const place = `${conflictsPlace}${store}/${stamp}-${state.conflicts}`;
  const acts = paths.map((path) => ({ act: "aside", path, to: place + path }) as const);
  const done = await actOnFiles(work.sandbox, mount.path, acts);
  for (const [at, { path, to }] of acts.entries()) {
    const isDone = done[at] === "done";
    const cause =
      why ?? `was ${remote.has(path) ? "changed" : "deleted"} in the memory store meanwhile`;
    const outcome = isDone
      ? `The store's side stands; what you wrote is kept in ${to}. Bring it in again if it is still right.`
      : "What you wrote could not be put aside, and is not kept in the store.";
    const text = `${mount.path}${path} ${cause}. ${outcome}`;
    const note = { kind: "conflict", storeId: mount.storeId, text } as const;
    work.notes.tell(note, mount.path + path, isDone ? to : "not put aside");
    if (!isDone) continue;
    base.delete(path);
    round.isAgain = true;
  }
}

/** From the files to the store: what goes first, so that its path is free. */
async function give(round: Round, paths: readonly string[]): Promise<void> {
  const { work, state, local } = round;
  const { mount, refused } = state;
  const stateOf = (path: string) => `${local.get(path)?.sha256} ${state.mark}`;
  const wanted = paths.filter((path) => refused.get(path) !== stateOf(path));
  const gone = wanted.filter((path) => !local.has(path));
  await Promise.all(gone.map((path) => giveOne(round, path, null)));
  const there = wanted.filter((path) => {
    const problem = local.get(path)?.problem;
    if (problem !== undefined) refuse(round, path, problem);
    return problem === undefined && local.has(path);
  });
  for (let at = 0; at < there.length; at += writesAtOnce) {
    const some = there.slice(at, at + writesAtOnce);
    const unread = some.filter((path) => local.get(path)?.content === undefined);
    const contents = await readFiles(
      work.sandbox,
      unread.map((path) => mount.path + path),
      state.side.contentBytesMax,
    );
    // To `giveOne` null says that the file is gone: one that cannot be read now is looked at again.
    const read = new Map(unread.map((path, index) => [path, contents[index] ?? undefined]));
    await Promise.all(
      some.map((path) => giveOne(round, path, local.get(path)?.content ?? read.get(path))),
    );
  }
}

const writesAtOnce = 40;

/** `content` is null where the file is gone, undefined where it went just now. What is not as it was seen waits. */
async function giveOne(
  round: Round,
  path: string,
  content: Buffer | null | undefined,
): Promise<void> {
  const { work, state, local } = round;
  const { mount, remote } = state;
  const isAsSeen = content === null || (content && hashOf(content) === local.get(path)?.sha256);
  if (content === undefined || !isAsSeen) {
    round.isAgain = true;
    return;
  }
  const text = content === null ? null : content.toString("utf8");
  const memory = remote.get(path);
  if (text === null && memory === undefined) return agree(state, path, undefined);
  try {
    const write = memory === undefined ? { path, text: text ?? "" } : { path, text, memory };
    const head = await state.side.write(write);
    if (head === null) remote.delete(path);
    else remote.set(path, head);
    agree(state, path, head?.sha256);
    state.refused.delete(path);
    work.notes.settle(mount.path + path);
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    await takeRefusal(round, path, error);
  }
}

/** Another writer was first: then both sides are looked at again. Else the store does not take it, and says why. */
async function takeRefusal(round: Round, path: string, refusal: StoreRefusal): Promise<void> {
  const { why, message } = refusal;
  switch (why.type) {
    case "race":
      round.isAgain = true;
      return;
    case "refused":
      return refuse(round, path, `is not kept in the memory store: ${message}`);
    case "beside":
      return putAside(
        round,
        [path],
        `cannot stand beside ${why.path}, which came into the store meanwhile`,
      );
  }
}

function refuse({ work, state, local }: Round, path: string, problem: string): void {
  const { mount, refused, mark } = state;
  const sha256 = local.get(path)?.sha256;
  refused.set(path, `${sha256} ${mark}`);
  const text = `${mount.path}${path} ${problem}`;
  const note = { kind: "refused", storeId: mount.storeId, text } as const;
  work.notes.tell(note, mount.path + path, `${sha256} ${problem.slice(0, 40)}`);
}

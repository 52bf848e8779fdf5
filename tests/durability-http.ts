// Changes over HTTP, what was promised about each, and whether keys and audit log keep exactly that.
import { ask, type Reply } from "./bad-days/plinth.ts";

/** `saved`: a 200 came. `refused`: a 503 that says nothing was saved. `unknown`: cut, or a 503 that says so. */
type Outcome = "saved" | "refused" | "unknown";

interface Story {
  name: string;
  id: string | undefined;
  created: Outcome;
  renamed: Outcome | "never";
  deactivated: Outcome | "never";
}

export interface ChangeRecord {
  stories: Story[];
  /** How many changes were acknowledged. */
  acknowledged: number;
  /** Replies that no kill excuses. */
  troubles: string[];
  slowestMs: number;
  busy: number;
}

export interface Writing {
  ledger: ChangeRecord;
  stop(): Promise<void>;
}

const writers = 8;
export const replyMsMax = 10_000;
const newName = (story: Story) => `${story.name} renamed`;

export const emptyChangeRecord = (): ChangeRecord => ({
  stories: [],
  acknowledged: 0,
  troubles: [],
  slowestMs: 0,
  busy: 0,
});

/** Writes with all writers until told to stop. `mayBeCut`: whether connections may break. */
export function write(
  url: string,
  headers: Record<string, string>,
  ledger: ChangeRecord,
  { prefix, mayBeCut }: { prefix: string; mayBeCut: boolean },
): Writing {
  const stopping = new AbortController();
  const change = async (path: string, body: object): Promise<[Outcome, Reply]> => {
    const reply = await ask(url, "POST", path, { headers, body, msMax: replyMsMax });
    ledger.slowestMs = Math.max(ledger.slowestMs, reply.ms);
    const outcome = judge(reply, ledger, mayBeCut);
    if (outcome === "saved") ledger.acknowledged++;
    return [outcome, reply];
  };
  const tell = async (story: Story) => {
    const [created, reply] = await change("/console/api/keys", { name: story.name, kind: "api" });
    story.created = created;
    if (created !== "saved") return;
    story.id = (reply.body as { id: string }).id;
    const path = `/console/api/keys/${story.id}`;
    story.renamed = "unknown";
    [story.renamed] = await change(path, { name: newName(story) });
    if (story.renamed !== "saved") return;
    story.deactivated = "unknown";
    [story.deactivated] = await change(path, { status: "inactive" });
  };
  const writeOne = async (number: number) => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      const name = `${prefix} lane ${number} key ${count}`;
      const story: Story = {
        name,
        id: undefined,
        created: "unknown",
        renamed: "never",
        deactivated: "never",
      };
      ledger.stories.push(story);
      await tell(story);
      const whole = [story.created, story.renamed, story.deactivated].every((o) => o === "saved");
      // What is away stays away for a while.
      if (!whole) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const running = Promise.all(Array.from({ length: writers }, (_, number) => writeOne(number)));
  return {
    ledger,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

function judge(reply: Reply, ledger: ChangeRecord, mayBeCut: boolean): Outcome {
  const { troubles } = ledger;
  const { status, headers, body, hung, ms } = reply;
  if (status === 200) return "saved";
  const told = `${status} after ${Math.round(ms)} ms: ${JSON.stringify(body)}`;
  if (hung) troubles.push(`a request hung: ${told}`);
  else if (status === 0 && !mayBeCut) troubles.push(`a connection broke: ${told}`);
  else if (status === 503 && headers.get("retry-after") === null)
    troubles.push(`no retry-after: ${told}`);
  else if (status !== 0 && status !== 503) troubles.push(told);
  if (status !== 503) return "unknown";
  ledger.busy++;
  const { error } = body as { error: { details?: { error_code?: string } } };
  const unknown = error.details?.error_code === "commit_outcome_unknown";
  if (unknown && headers.get("x-should-retry") !== "false")
    troubles.push(`a client would repeat this: ${told}`);
  return unknown ? "unknown" : "refused";
}

interface StoredKey {
  id: string;
  name: string;
  status: string;
}

interface Event {
  id: string;
  action: string;
  target: { type: string; id: string } | null;
}

async function all<Row>(url: string, headers: Record<string, string>, path: string) {
  const rows: Row[] = [];
  let page: string | null = null;
  do {
    const query: string = page === null ? "" : `&page=${encodeURIComponent(page)}`;
    const reply = await ask(url, "GET", `${path}?limit=100${query}`, { headers });
    if (reply.status !== 200)
      throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    const body = reply.body as { data: Row[]; next_page: string | null };
    rows.push(...body.data);
    page = body.next_page;
  } while (page !== null);
  return rows;
}

/** Reads every key and every event, and says what is not as it was promised. */
export async function findFaults(
  url: string,
  headers: Record<string, string>,
  ledger: ChangeRecord,
): Promise<string[]> {
  const keys = await all<StoredKey>(url, headers, "/console/api/keys");
  const events = await all<Event>(url, headers, "/console/api/audit");
  const faults = [...ledger.troubles, ...twice("key", keys), ...twice("event", events)];
  const byName = Map.groupBy(keys, ({ name }) => name.replace(/ renamed$/, ""));
  const byTarget = Map.groupBy(events, ({ target }) => target?.id ?? "");
  for (const story of ledger.stories) {
    const mine = byName.get(story.name) ?? [];
    byName.delete(story.name);
    faults.push(...compare(story, mine, byTarget).map((fault) => `${story.name}: ${fault}`));
  }
  for (const [name] of byName)
    if (name.startsWith("round ")) faults.push(`${name}: nobody asked for this key`);
  const ids = new Set(keys.map(({ id }) => id));
  for (const { id, action, target } of events)
    if (target?.type === "key" && !ids.has(target.id))
      faults.push(`${id}: ${action} of a key that is not there`);
  return faults;
}

function twice(what: string, rows: readonly { id: string }[]): string[] {
  const ids = new Set(rows.map(({ id }) => id));
  return ids.size === rows.length ? [] : [`${rows.length - ids.size} ids of a ${what} are doubled`];
}

function compare(
  story: Story,
  [key, ...more]: readonly StoredKey[],
  eventsByTarget: ReadonlyMap<string, readonly Event[]>,
): string[] {
  if (key === undefined) return story.created === "saved" ? ["acknowledged, and not there"] : [];
  const count = (action: string) =>
    (eventsByTarget.get(key.id) ?? []).filter((event) => event.action === action).length;
  const faults: string[] = [];
  if (more.length > 0) faults.push(`is there ${more.length + 1} times`);
  if (story.id !== undefined && story.id !== key.id) faults.push(`is ${key.id}, not ${story.id}`);
  const changes = [
    { verb: "created", told: story.created, done: true },
    { verb: "renamed", told: story.renamed, done: key.name === newName(story) },
    { verb: "deactivated", told: story.deactivated, done: key.status === "inactive" },
  ];
  for (const { verb, told, done } of changes) {
    if (told === "saved" && !done) faults.push(`${verb} was acknowledged and is gone`);
    if (told === "refused" && done) faults.push(`${verb} was refused and is done all the same`);
    if (told === "never" && done) faults.push(`${verb} without being asked`);
    const found = count(`key.${verb}`);
    if (found !== (done ? 1 : 0)) faults.push(`${found} events of "${verb}", which is ${done}`);
  }
  return faults;
}

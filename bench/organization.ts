// Whether lists of administration stay flat: pages of a large organization against the first page of a small one.
// `node bench/organization.ts [--members N] [--groups N] [--events N]`
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "../kernel/base/logger.ts";
import { openDatabase } from "../kernel/sql/open-database.ts";
import { fill } from "./organization/fill.ts";
import { median, ratio, show } from "./figures.ts";
import { makeBenchOrganization, type BenchOrganization } from "./place.ts";
import { openServer } from "./server.ts";

const { values } = parseArgs({
  options: {
    members: { type: "string", default: "100000" },
    groups: { type: "string", default: "10000" },
    events: { type: "string", default: "1000000" },
  },
});
const large = {
  members: Number(values.members),
  groups: Number(values.groups),
  events: Number(values.events),
};
const small = { members: 30, groups: 30, events: 100 };
const ratioMax = 3;

interface Place extends BenchOrganization {
  mark: string;
  counts: typeof large;
}
interface Page {
  has_more?: boolean;
  last_id?: string;
  next_page?: string | null;
}

await using server = await openServer({ workers: "1", isProfiled: false });
const dataDirectory = join(server.directory, "data");
const database = await openDatabase({
  databaseUrl: undefined,
  directory: dataDirectory,
  logger: silentLogger,
});
const places = {
  platform: [await place("platform", "a", large), await place("platform", "b", small)],
  enterprise: [await place("enterprise", "c", large), await place("enterprise", "d", small)],
} as const;
await database.db.query({ text: "vacuum analyze", values: [] });
const { members, groups, events } = large;
console.log(
  `${members} members, ${groups} groups, invites, workspaces and keys, ${events} events; load ${loadavg()[0]?.toFixed(1)}`,
);

const api = "/v1/organizations";
await lists("members", "enterprise", `${api}/users?`);
await lists("invites", "enterprise", `${api}/invites?`);
await lists("groups", "enterprise", `${api}/rbac_groups?`);
await lists(
  "members of a group",
  "enterprise",
  (to) => `${api}/rbac_groups/rbac_group_${to.mark}00000001/members?`,
);
await lists("workspaces", "platform", `${api}/workspaces?`);
await lists("keys", "platform", `${api}/api_keys?`);
await eventLists();
await database.close();

async function place(type: string, mark: string, counts: typeof large): Promise<Place> {
  const made = await makeBenchOrganization(server.url, dataDirectory, type, mark);
  await fill(database.db, made.id, mark, counts);
  return { ...made, mark, counts };
}

async function once({ cookie }: Place, path: string): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(server.url + path, {
    headers: { cookie, "anthropic-version": "2026-10-21" },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return performance.now() - startedMs;
}

/** By turns, since a machine is not the same from one moment to the next; some to warm up, then the middle of 21. */
async function compare(
  name: string,
  [big, path]: [Place, string],
  [little, reference]: [Place, string],
): Promise<void> {
  const took: [number[], number[]] = [[], []];
  for (let round = 0; round < 26; round++) {
    const ms = [await once(big, path), await once(little, reference)] as const;
    if (round >= 5) took.forEach((all, index) => all.push(ms[index] ?? 0));
  }
  tell(name, median(took[0]), median(took[1]));
}

function tell(name: string, ms: number, firstMs: number): void {
  const isFlat = ms <= ratioMax * firstMs;
  show(name, `${ms.toFixed(2)} ms  ${ratio(ms, firstMs)}${isFlat ? "" : "  NOT FLAT"}`);
  if (!isFlat) process.exitCode = 1;
}

/** Walks in the longest pages, and looks at three places on the way. */
async function lists(
  name: string,
  type: keyof typeof places,
  path: string | ((to: Place) => string),
): Promise<void> {
  const [big, little] = places[type];
  const pathOf = (to: Place) => (typeof path === "string" ? path : path(to));
  const first: [Place, string] = [little, `${pathOf(little)}limit=20`];
  const cursors = await walk(big, pathOf(big));
  const wheres = {
    first: "",
    middle: cursors[Math.floor(cursors.length / 2)],
    last: cursors.at(-1),
  };
  for (const [where, cursor] of Object.entries(wheres))
    await compare(`${name}, ${where}`, [big, `${pathOf(big)}limit=20${cursor ?? ""}`], first);
}

async function walk({ cookie }: Place, path: string): Promise<string[]> {
  const cursors: string[] = [];
  let cursor = "";
  for (;;) {
    const response = await fetch(`${server.url}${path}limit=1000${cursor}`, {
      headers: { cookie, "anthropic-version": "2026-10-21" },
    });
    const body = (await response.json()) as Page;
    if (typeof body.next_page === "string") cursor = `&page=${encodeURIComponent(body.next_page)}`;
    else if (body.has_more === true) cursor = `&after_id=${body.last_id}`;
    else return cursors;
    cursors.push(cursor);
  }
}

async function eventLists(): Promise<void> {
  const [big, little] = places.platform;
  const path = "/console/api/audit?limit=20";
  const at = (share: number) =>
    new Date(Date.UTC(2026, 0, 1) + Math.ceil(share * events) * 20_000).toISOString();
  const pages: Record<string, string> = {
    first: "",
    middle: `&to=${at(0.5)}`,
    last: `&to=${at(0.00002)}`,
    "one action": "&action=key.created",
    "all of keys": "&action=key.",
    "of an actor": "&actor_id=user_7",
    "of a target": "&target_id=key_77",
    "from an address": "&address=10.0.0.7",
    "a span": `&from=${at(0.3)}&to=${at(0.31)}`,
    "a rare word": "&q=thing77",
    "a word of all": "&q=thing%20thing",
    "no such word": "&q=nonsuch",
  };
  for (const [name, query] of Object.entries(pages))
    await compare(`events, ${name}`, [big, path + query], [little, path]);
}

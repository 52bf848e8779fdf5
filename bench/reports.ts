// How long the page of a report takes over a year of many keys, against a plain sum over the same rows.
// `node bench/reports.ts [--days N] [--keys N]`
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "../kernel/base/logger.ts";
import { openDatabase } from "../kernel/sql/open-database.ts";
import { median, ratio, show, whole } from "./figures.ts";
import { dayMs, fillReports, plainSum } from "./reports/fill.ts";
import { makeBenchOrganization } from "./place.ts";
import { openServer } from "./server.ts";

const { values } = parseArgs({
  options: { days: { type: "string", default: "365" }, keys: { type: "string", default: "1000" } },
});
const days = Number(values.days);
const keys = Number(values.keys);
const rounds = 5;
/** Each row of the ledger is one of the sums here, the worst that may be; a page also orders and names. */
const ratioMax = 3;

await using server = await openServer({ workers: "1", isProfiled: false });
const dataDirectory = join(server.directory, "data");
const { db, close } = await openDatabase({
  databaseUrl: undefined,
  directory: dataDirectory,
  logger: silentLogger,
});
const { id, cookie } = await makeBenchOrganization(server.url, dataDirectory, "platform", "a");
const todayMs = Math.floor(Date.now() / dayMs) * dayMs;
const range = { from: new Date(todayMs - (days - 1) * dayMs), to: new Date(todayMs + dayMs) };
const rows = await fillReports(db, id, range, { keys });
console.log(`${whole(rows)} rows of the ledger: ${days} days, ${keys} keys; load ${load()}`);

const times = `starting_at=${range.from.toISOString()}&ending_at=${range.to.toISOString()}`;
const month = new Date(todayMs - 30 * dayMs).toISOString();
const pages: Record<string, string> = {
  "a year by day": `usage?${times}&time_bucket_width=1d&order_by=time&order=asc&limit=1000`,
  "a year by key": `usage?${times}&group_by[]=api_key_id&limit=1000`,
  "a year by model": `usage?${times}&group_by[]=model&limit=1000`,
  "cost of a year by key": `cost?${times}&group_by[]=api_key_id&limit=1000`,
  "cost by day of seven keys": `cost?${times}&time_bucket_width=1d&order_by=time&limit=1000&group_by[]=api_key_id${some()}`,
  "30 days by model": `usage?starting_at=${month}&ending_at=${range.to.toISOString()}&group_by[]=model`,
};
for (const [name, path] of Object.entries(pages)) await compare(name, path);
await close();

function some(): string {
  const ids = Array.from({ length: 7 }, (_, index) => `apikey_${index + 1}`);
  return ids.map((key) => `&api_key_ids[]=${key}`).join("");
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "";
}

/** By turns, since a machine is not the same from one moment to the next. */
async function compare(name: string, path: string): Promise<void> {
  const took: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const ms = [await timed(() => ask(path)), await timed(() => plainSum(db, id, range))] as const;
    if (round > 0) took.forEach((all, index) => all.push(ms[index] ?? 0));
  }
  const [ms, sumMs] = [median(took[0]), median(took[1])];
  const isFast = ms <= ratioMax * sumMs;
  const words = `${ms.toFixed(1)} ms, a plain sum ${sumMs.toFixed(1)} ms`;
  show(name, `${words}  ${ratio(ms, sumMs)}${isFast ? "" : "  SLOW"}`);
  if (!isFast) process.exitCode = 1;
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return performance.now() - startedMs;
}

async function ask(path: string): Promise<void> {
  const response = await fetch(`${server.url}/console/api/analytics/${path}`, {
    headers: { cookie, "anthropic-version": "2026-10-21" },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
}

// Pages of the request log: of many rows and a month, against the first page of a thousand rows.
// `node bench/requests.ts [--rows N]`: ten million unless said otherwise, which take some minutes and 7 GB of disk.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { silentLogger } from "../kernel/base/logger.ts";
import { openDatabase } from "../kernel/sql/open-database.ts";
import { median, ratio, show, whole } from "./figures.ts";
import { initialize } from "./place.ts";
import { dayMs, fillRequests, names } from "./requests/fill.ts";
import { openServer } from "./server.ts";

const { values } = parseArgs({ options: { rows: { type: "string", default: "10000000" } } });
const rounds = 15;
const days = 30;
const ratioMax = 3;
/** Pages are asked for more often than an organization may. */
const settings = { administration: { requests_per_minute: 10_000 } };

interface Log {
  ask(query: string): Promise<{ data: unknown[]; next_page: string | null }>;
}

await using closing = new AsyncDisposableStack();
const small = await openLog(1_000, 3);
const large = await openLog(Number(values.rows), days);
const ago = (count: number) => new Date(Date.now() - count * dayMs).toISOString();
const pages: Record<string, string> = {
  "the first page": "",
  "a hundred rows": "limit=100",
  errors: "status=error",
  "one status": "status=529",
  "a busy key": `credential_id=${names.key(0)}`,
  "a quiet key": `credential_id=${names.key(39)}`,
  "a key without rows": "credential_id=apikey_none",
  "a quiet key, days ago": `credential_id=${names.key(39)}&to=${ago(2)}`,
  "a rare model": `model=${names.model(19)}`,
  "a person": `user_id=${names.person(3)}`,
  "a session": `session_id=${names.session(40)}`,
  "a workspace": `workspace_id=${names.workspace(3)}`,
  "slow ones": "min_duration_ms=10000",
  "slower than any": "min_duration_ms=60000",
  "expensive ones": "min_cost=10",
  "a cent or more": "min_cost=1",
  "refused ones": "stop_reason=refusal",
  "fallen back": "fell_back=true",
  "words of an error": "error=overloaded",
  "words of none": "error=zebra",
  "slow errors of a model": `model=${names.model(3)}&min_duration_ms=10000&status=error`,
  "three weeks ago": `to=${ago(20)}`,
  "what ended just now": `ended_after=${new Date(Date.now() - 10_000).toISOString()}`,
};
for (const [name, query] of Object.entries(pages)) await compare(name, query);

async function openLog(rows: number, over: number): Promise<Log> {
  const server = closing.use(await openServer({ workers: "1", isProfiled: false, settings }));
  const directory = join(server.directory, "data");
  const { db, close } = await openDatabase({
    databaseUrl: undefined,
    directory,
    logger: silentLogger,
  });
  closing.defer(close);
  const { organization_id: id, admin_api_key: key } = await initialize(directory, "platform", "a");
  const startedMs = performance.now();
  await fillRequests(db, id, { rows, days: over });
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(`${whole(rows)} rows over ${over} days, made in ${seconds.toFixed(0)} s`);
  return {
    ask: async (query) => {
      const response = await fetch(`${server.url}/v1/organizations/requests?${query}`, {
        headers: { "x-api-key": key },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(text);
      return JSON.parse(text) as Awaited<ReturnType<Log["ask"]>>;
    },
  };
}

/** By turns, since a machine is not the same from one moment to the next. */
async function compare(name: string, query: string): Promise<void> {
  const took: [number[], number[]] = [[], []];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const firstMs = performance.now();
    await small.ask("");
    const secondMs = performance.now();
    found = (await large.ask(query)).data.length;
    took[0].push(secondMs - firstMs);
    took[1].push(performance.now() - secondMs);
  }
  const [smallMs, ms] = [median(took[0]), median(took[1])];
  const isFast = ms <= ratioMax * smallMs;
  const words = `${ms.toFixed(1)} ms (${found} rows), the small log ${smallMs.toFixed(1)} ms`;
  show(name, `${words}  ${ratio(ms, smallMs)}${isFast ? "" : "  SLOW"}`);
  if (!isFast) process.exitCode = 1;
}

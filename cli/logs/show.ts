// Prints the log of requests: a page, what ends from now on, or one request with its attempts.
import { formatDollars } from "../../client/text/words.ts";
import type { Client } from "../../contract/client.ts";
import type { LoggedRequest } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { table } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { printPage } from "../workspace-calls.ts";
import { filtersOf, type LogsFlags } from "./options.ts";

/** An organization has a hundred administration requests a minute. */
const lookEveryMs = 3_000;
/** What ended so long ago may come into the log only now: it is written a moment later, by any process. */
const lateMs = 5_000;
const rowsAtOnce = 100;

export async function showLogs(terminal: Terminal, flags: LogsFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
  if (flags.follow === true) return follow(terminal, client, flags);
  const { limit, page: cursor, from, to } = flags;
  const query = { limit, page: cursor, from, to, ...filtersOf(flags) };
  const page = await withServerErrors(client, () => client.requests.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["TIME", "STATUS", "WHAT", "MODEL", "TOKENS", "COST", "TOOK", "REQUEST"],
    row: cellsOf,
    none: "Nothing was found in the log of requests.",
  });
  if (flags.json !== true && page.searched_to !== null)
    terminal.note(`Looked back to ${page.searched_to.slice(0, 19)}; the next page looks on.\n`);
}

/** Each request once, when it has ended. */
async function follow(terminal: Terminal, client: Client, flags: LogsFlags): Promise<never> {
  const unfit = (["from", "to", "page"] as const).find((name) => flags[name] !== undefined);
  if (unfit !== undefined)
    throw new CliError(
      `--follow tells what ends from now on: leave out --${unfit}.`,
      exitCodes.usage,
    );
  const leaving = new AbortController();
  const release = terminal.onInterrupt(() => leaving.abort());
  let told = new Map<string, number>();
  let isFirst = true;
  try {
    let afterMs = terminal.clock.now().getTime() - lateMs;
    do {
      const rows = await withServerErrors(client, () => endedSince(client, flags, afterMs));
      for (const row of rows) {
        const endedMs = Date.parse(row.ended_at);
        if (!told.has(row.id) && !isFirst) print(terminal, flags, row);
        told.set(row.id, endedMs);
        afterMs = Math.max(afterMs, endedMs - lateMs);
      }
      told = new Map([...told].filter(([, endedMs]) => endedMs >= afterMs));
      isFirst = false;
    } while (await terminal.clock.sleep(lookEveryMs, leaving.signal));
    throw new CliError("Stopped.", exitCodes.interrupted);
  } finally {
    release();
  }
}

async function endedSince(
  client: Client,
  flags: LogsFlags,
  afterMs: number,
): Promise<LoggedRequest[]> {
  const all: LoggedRequest[] = [];
  for (let since = afterMs; ;) {
    const query = {
      ...filtersOf(flags),
      ended_after: new Date(since).toISOString(),
      limit: rowsAtOnce,
    };
    const { data } = await client.requests.list({ query });
    all.push(...data);
    const last = data.at(-1);
    if (data.length < rowsAtOnce || last === undefined) return all;
    // As many in one millisecond as fit on a page are gone past.
    since = Math.max(since + 1, Date.parse(last.ended_at));
  }
}

function print(terminal: Terminal, { json }: LogsFlags, row: LoggedRequest): void {
  terminal.write(`${json === true ? JSON.stringify(row) : cellsOf(row).join("  ")}\n`);
}

export async function showRequest(terminal: Terminal, id: string, flags: LogsFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
  const row = await withServerErrors(client, () =>
    client.requests.retrieve({ params: { request_id: id } }),
  );
  printResult(terminal, flags, row, () => `${factsOf(row)}${attemptsOf(row)}`);
}

function factsOf(row: LoggedRequest): string {
  const { usage } = row;
  const facts: [string, string | null][] = [
    ["Request", row.id],
    ["Time", `${row.at.slice(0, 23)}Z`],
    ["What", whatOf(row)],
    ["Status", String(row.status)],
    ["Error", row.error && `${row.error.type}: ${row.error.message}`],
    ["Model", modelOf(row)],
    ["Stop reason", row.stop_reason],
    [
      "Tokens",
      usage &&
        `${usage.input_tokens} in, ${usage.output_tokens} out, ` +
          `${usage.cache_read_input_tokens} from the cache, ` +
          `${usage.cache_creation_input_tokens} into it`,
    ],
    ["Cost", costOf(row)],
    ["Took", tookOf(row.duration_ms)],
    ["First word", row.first_token_ms === null ? null : tookOf(row.first_token_ms)],
    ["Key", row.credential_id],
    ["Person", row.user_id],
    ["Workspace", row.workspace_id],
    ["Session", row.session_id],
    ["Batch", row.batch_id],
  ];
  return table(
    facts.flatMap(([name, value]) => (value === null ? [] : [[name, escapeControls(value)]])),
  );
}

function attemptsOf({ attempts }: LoggedRequest): string {
  if (attempts.length === 0) return "";
  const rows = attempts.map((attempt) => [
    `${attempt.model}${attempt.is_guard ? " (guard)" : ""}`,
    attempt.outcome ?? "-",
    attempt.why ?? "-",
    tookOf(attempt.start_ms),
    attempt.first_ms === null ? "-" : tookOf(attempt.first_ms),
    attempt.end_ms === null ? "-" : tookOf(attempt.end_ms),
    `${attempt.input_tokens}→${attempt.output_tokens}`,
  ]);
  const titles = ["ATTEMPT", "OUTCOME", "WHY", "BEGAN AT", "SPOKE AT", "ENDED AT", "TOKENS"];
  return `\n${table([titles, ...rows.map((cells) => cells.map(escapeControls))])}`;
}

function cellsOf(row: LoggedRequest): string[] {
  const { usage } = row;
  return [
    row.at.slice(0, 19),
    String(row.status),
    whatOf(row),
    modelOf(row) ?? "-",
    usage === null ? "-" : `${usage.input_tokens}→${usage.output_tokens}`,
    costOf(row) ?? "-",
    tookOf(row.duration_ms),
    row.id,
  ].map(escapeControls);
}

/** The path of an address, or the name of a tool. */
const whatOf = ({ method, path, operation }: LoggedRequest): string =>
  path === null ? operation : `${method ?? operation} ${path}`;

const modelOf = ({ model, served_model: served }: LoggedRequest): string | null =>
  served === null || served === model || model === null ? (served ?? model) : `${model}→${served}`;

const costOf = ({ cost }: LoggedRequest): string | null =>
  cost === null ? null : formatDollars(cost.amount);

const tookOf = (ms: number): string => (ms < 10_000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

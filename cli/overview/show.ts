// `plinth overview`: what the console's overview shows, as tables.
import { formatUnits, plural } from "../../client/text/words.ts";
import type { Overview } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";

export interface OverviewFlags extends Flags {
  period?: "yesterday" | "week" | "month";
}

export async function show(terminal: Terminal, flags: OverviewFlags): Promise<void> {
  const query = flags.period === undefined ? {} : { period: flags.period };
  const found = await askAsAdmin(terminal, flags, (client) =>
    client.organizations.overview({ query }),
  );
  printResult(terminal, flags, found, () => textOf(terminal, found));
}

const textOf = (terminal: Terminal, overview: Overview): string =>
  [
    waitingText(terminal, overview),
    requestsText(terminal, overview),
    upstreamsText(terminal, overview),
    spendText(terminal, overview),
    topText(terminal, overview),
    underWayText(terminal, overview),
    storageText(terminal, overview),
  ]
    .filter((part) => part !== "")
    .join("\n");

const words: Record<Overview["waiting"][number]["kind"], string> = {
  session: "sessions wait for an answer",
  spend_request: "asks for a higher limit",
  deployment: "deployment is paused after a failure",
  credential: "credential cannot be renewed",
  webhook: "webhook was switched off",
  invite: "invite ends within two days",
};

function waitingText(terminal: Terminal, { waiting }: Overview): string {
  if (waiting.length === 0) return "Nothing waits for you.\n";
  const rows = waiting.flatMap(({ kind, count, items }) => {
    const left = count - items.reduce((sum, item) => sum + item.count, 0);
    return [
      ...items.map((item) => [
        kind === "session" ? `${item.count} ${words[kind]}` : words[kind],
        escapeControls(item.name),
        item.since.slice(0, 16),
        item.id,
      ]),
      ...(left > 0 ? [[words[kind], `and ${left} more`, "", ""]] : []),
    ];
  });
  return listTable(terminal, ["WAITS FOR YOU", "NAME", "SINCE", "ID"], rows);
}

function requestsText(terminal: Terminal, { requests }: Overview): string {
  const { last_hour: now, hour_before: before } = requests;
  const row = (name: string, counts: typeof now) => [
    name,
    counts.requests.toLocaleString("en"),
    counts.errors.toLocaleString("en"),
  ];
  const titles = ["REQUESTS", "ALL", "ERRORS"];
  return listTable(terminal, titles, [row("last hour", now), row("hour before", before)]);
}

function upstreamsText(terminal: Terminal, { upstreams }: Overview): string {
  if (upstreams === null) return "";
  if (upstreams.length === 0) return "No upstream was asked in the last two hours.\n";
  const ms = (value: number | null) => (value === null ? "-" : `${value} ms`);
  return listTable(
    terminal,
    ["UPSTREAM", "STATE", "ANSWERED", "FAILED", "MEDIAN", "95 %", "MEDIAN BEFORE"],
    upstreams.map(({ name, state, last_hour: now, hour_before: before }) => [
      escapeControls(name),
      state,
      now.answered.toLocaleString("en"),
      now.failed.toLocaleString("en"),
      ms(now.first_ms_median),
      ms(now.first_ms_95),
      ms(before.first_ms_median),
    ]),
  );
}

function spendText(terminal: Terminal, { spend }: Overview): string {
  if (spend === null) return "";
  const total = `Spent in ${spend.month}: ${dollars(spend.spent)}.\n`;
  if (spend.limits.length === 0) return `${total}No spend limit is set.\n`;
  const rows = spend.limits.map((limit) => [
    escapeControls(limit.name ?? limit.id ?? "organization"),
    limit.period,
    dollars(limit.limit),
    dollars(limit.spent),
    limit.is_blocked ? "blocked" : "free",
    limit.is_blocked ? limit.resets_at.slice(0, 10) : "-",
  ]);
  const more = spend.blocked - spend.limits.filter((limit) => limit.is_blocked).length;
  const rest = more > 0 ? `${plural(more, "more limit is", "more limits are")} spent.\n` : "";
  const titles = ["LIMIT OF", "PERIOD", "LIMIT", "SPENT", "STATE", "UNTIL"];
  return `${total}${listTable(terminal, titles, rows)}${rest}`;
}

const periodNames = { yesterday: "YESTERDAY", week: "IN SEVEN DAYS", month: "THIS MONTH" } as const;

function topText(terminal: Terminal, { top }: Overview): string {
  if (top === null) return "";
  const rows = (["models", "keys", "people"] as const).flatMap((party) =>
    top[party].map(({ id, name, amount }) => [
      party,
      escapeControls(name),
      dollars(amount),
      id === name ? "" : id,
    ]),
  );
  if (rows.length === 0) return "Nothing was spent in that time.\n";
  return listTable(terminal, [`SPENT ${periodNames[top.period]}`, "NAME", "COST", "ID"], rows);
}

function underWayText(terminal: Terminal, { under_way: { batches, sessions } }: Overview): string {
  if (batches.length + sessions.length === 0) return "No batch is open, and no session runs.\n";
  return listTable(
    terminal,
    ["UNDER WAY", "WORKSPACE", "DONE"],
    [
      ...batches.map((each) => [
        plural(each.batches, "batch", "batches"),
        escapeControls(each.workspace_name),
        `${each.done} of ${each.requests}`,
      ]),
      ...sessions.map((each) => [
        plural(each.sessions, "session"),
        escapeControls(each.workspace_name),
        "-",
      ]),
    ],
  );
}

function storageText(terminal: Terminal, { storage }: Overview): string {
  if (storage === null) return "";
  const { disk_free: free, disk_size: size, ...kinds } = storage;
  return listTable(
    terminal,
    ["STORAGE", "SIZE"],
    [
      ...Object.entries(kinds).map(([kind, bytes]) => [kind, megabytes(bytes)]),
      ["free on the disk", `${megabytes(free)} of ${megabytes(size)}`],
    ],
  );
}

const dollars = (cents: string): string => `$${formatUnits(Number(cents) / 100)}`;

const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;

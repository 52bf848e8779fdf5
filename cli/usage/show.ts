// `plinth usage`: as a table with bars for people, as JSON or CSV for programs.
import type { Client } from "../../contract/client.ts";
import { askAsAdmin } from "../administration.ts";
import { printResult } from "../print-result.ts";
import { escapeControls } from "../print-answer.ts";
import { consoleAddressOf } from "../server-calls.ts";
import { cutText } from "../display-width.ts";
import { table } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import type { Grouping, UsageFlags } from "./options.ts";
import { plural } from "../../client/text/words.ts";
import { bar, barColumns } from "./bar.ts";
import { hundredths, money, tokens, formatValue, type ReportKind } from "./columns.ts";
import { csvOf } from "./csv.ts";
import { daysOf, eachDay, type DayRange } from "./days.ts";
import { addNames } from "./names.ts";
import { expectPlatform, readReport, type ReportLine, type ReportLines } from "./read.ts";

/** A report of either kind, once it is read. */
type Shape = Pick<ReportKind<never>, "columns" | "shown" | "measure">;

interface Report {
  by: Grouping;
  days: DayRange;
  shape: Shape;
  lines: readonly ReportLine[];
  /** The lines that a limit left out, added up; undefined where there are none. */
  others: (ReportLine & { count: number }) | null;
  total: ReportLine;
  refreshedAt: string | null;
}

export async function usage(terminal: Terminal, flags: UsageFlags): Promise<void> {
  expectSense(flags);
  const days = daysOf(flags, terminal.clock.now());
  const home = await consoleAddressOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
  const report = await askAsAdmin(terminal, flags, (client) =>
    expectPlatform(home, () => reportOf(terminal, client, flags, days)),
  );
  if (flags.csv === true) terminal.write(asCsv(report));
  else if (report.total.numbers.size === 0 && flags.json !== true)
    terminal.note(`Nothing was asked of models from ${days.from} to ${days.to}.\n`);
  else {
    printResult(terminal, flags, asJson(report), () => asTable(terminal, report));
    if (flags.json !== true) terminal.note(`${terminal.dim(foot(report))}\n`);
  }
}

function expectSense({ json, csv, by, limit }: UsageFlags): void {
  const refuse = (sentence: string) => {
    throw new CliError(sentence, exitCodes.usage);
  };
  if (json === true && csv === true) refuse("Give --json or --csv, not both.");
  if (by === "day" && limit !== undefined)
    refuse("--limit: days are not told apart by size; choose them with --from and --to.");
}

async function reportOf(
  terminal: Terminal,
  client: Client,
  { by, cost, limit }: UsageFlags,
  days: DayRange,
): Promise<Report> {
  const request = { days, by };
  const { analytics } = client;
  const shape: Shape = cost === true ? money : tokens;
  const read =
    cost === true
      ? await readReport(money, request, (query) => analytics.cost({ query }))
      : await readReport(tokens, request, (query) => analytics.usage({ query }));
  const total = sumOf("total", read.lines.values());
  const ordered = by === "day" ? allDays(terminal, read, days) : largestFirst(read, shape);
  const lines = ordered.slice(0, limit);
  const rest = ordered.slice(lines.length);
  await addNames(client, lines);
  const others = rest.length === 0 ? null : { ...sumOf("others", rest), count: rest.length };
  return { by, days, shape, lines, others, total, refreshedAt: read.refreshedAt };
}

function sumOf(name: string, lines: Iterable<ReportLine>): ReportLine {
  const numbers = new Map<string, bigint>();
  for (const line of lines)
    for (const [column, value] of line.numbers)
      numbers.set(column, (numbers.get(column) ?? 0n) + value);
  return { id: "", name, numbers };
}

const allDays = ({ clock }: Terminal, { lines }: ReportLines, days: DayRange): ReportLine[] =>
  eachDay(days, clock.now()).map(
    (id) => lines.get(id) ?? { id, name: null, numbers: new Map<string, bigint>() },
  );

function largestFirst({ lines }: ReportLines, { measure }: Shape): ReportLine[] {
  const of = ({ numbers }: ReportLine) => numbers.get(measure) ?? 0n;
  return [...lines.values()].toSorted((a, b) =>
    of(a) === of(b) ? (a.id < b.id ? -1 : 1) : of(a) > of(b) ? -1 : 1,
  );
}

const without: Record<Grouping, string> = {
  model: "no model",
  workspace: "no workspace",
  key: "without a key, such as the console",
  member: "nobody in particular",
  origin: "no origin",
  session: "no session",
  agent: "no agent",
  deployment: "no deployment",
  environment: "no environment",
  day: "",
};

function asTable(terminal: Terminal, { by, shape, lines, others, total }: Report): string {
  const titleOf = ({ id, name }: ReportLine) =>
    escapeControls(name ?? (id === "" ? without[by] : id));
  const rows = [
    ...lines.map((line) => [titleOf(line), ...cellsOf(line, shape)]),
    ...(others === null ? [] : [[plural(others.count, "other"), ...cellsOf(others, shape)]]),
    ["total", ...cellsOf(total, shape)],
  ];
  const head = [by.toUpperCase(), ...shape.shown.map(([title]) => title)];
  const texts = narrowed(aligned([head, ...rows]), terminal.screenColumns());
  if (!terminal.isPerson.output) return table(texts);
  const most = lines.reduce(
    (max, line) => (valueOf(line, shape) > max ? valueOf(line, shape) : max),
    0n,
  );
  const width = barColumns(terminal, texts);
  const bars = lines.map((line) => bar(valueOf(line, shape), most, width));
  return table(
    texts.map((cells, at) => {
      const drawn = bars[at - 1] ?? "";
      return drawn === "" ? cells : [...cells, terminal.color("cyan", drawn)];
    }),
  );
}

const valueOf = ({ numbers }: ReportLine, { measure }: Shape): bigint => numbers.get(measure) ?? 0n;

const cellsOf = ({ numbers }: ReportLine, { columns, shown }: Shape): string[] =>
  shown.map(([, ...names]) =>
    formatValue(
      names.reduce((sum, name) => sum + (numbers.get(name) ?? 0n), 0n),
      columns.some(({ name, isAmount }) => name === names[0] && isAmount === true),
    ),
  );

/** Numbers end in the same column. */
function aligned(rows: readonly string[][]): string[][] {
  const width = (at: number) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0));
  return rows.map((cells) => cells.map((cell, at) => (at === 0 ? cell : cell.padStart(width(at)))));
}

const nameColumnsMin = 10;

/** Names are cut where the screen is too narrow, numbers never: a number without its end is another one. */
function narrowed(rows: string[][], screen: number): string[][] {
  if (screen === 0) return rows;
  const numbers = (rows[0] ?? []).slice(1).reduce((sum, cell) => sum + cell.length + 2, 0);
  const left = Math.max(nameColumnsMin, screen - numbers);
  return rows.map(([name = "", ...cells]) => [cutText(name, left), ...cells]);
}

const foot = ({ days: { from, to }, refreshedAt }: Report): string =>
  `${from} to ${to}, days of UTC${refreshedAt === null ? "" : `, as of ${refreshedAt}`}`;

function numbersOf({ numbers }: ReportLine, { columns }: Shape): [string, number | string][] {
  return columns.map(({ name, isAmount }) => {
    const value = numbers.get(name) ?? 0n;
    return [name, isAmount === true ? hundredths(value) : Number(value)];
  });
}

function asJson({ by, days, shape, lines, others, total, refreshedAt }: Report) {
  const object = (line: ReportLine) => Object.fromEntries(numbersOf(line, shape));
  return {
    ...days,
    by,
    data: lines.map((line) => ({ id: line.id || null, name: line.name, ...object(line) })),
    others: others === null ? null : { count: others.count, ...object(others) },
    total: object(total),
    data_refreshed_at: refreshedAt,
  };
}

const asCsv = ({ by, shape, lines }: Report): string =>
  csvOf([
    [
      by === "day" ? "day" : "id",
      ...(by === "day" ? [] : ["name"]),
      ...shape.columns.map(({ name }) => name),
    ],
    ...lines.map((line) => [
      line.id,
      ...(by === "day" ? [] : [line.name ?? ""]),
      ...numbersOf(line, shape).map(([, value]) => value),
    ]),
  ]);

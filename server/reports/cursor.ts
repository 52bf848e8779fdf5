// Where a report goes on: what was asked, how things stood, and behind which row.
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import { makeCursors } from "../../kernel/http/pages.ts";
import { hashSecret } from "../../kernel/secret/token.ts";
import type { Horizon } from "../usage/module.ts";
import { limits } from "./limits.ts";
import type { Range } from "./range.ts";

export interface ReportCursor {
  horizon: Horizon;
  /** When the first page was read, which is what `data_refreshed_at` says. */
  atMs: number;
  range: Range;
  /** The last row of the page before, or the bucket that comes next. */
  position: readonly string[];
}

type Query = Readonly<Record<string, unknown>>;

/** What a query asks for, without its page and limit. */
function questionOf(query: Query): string {
  const sorted = Object.entries(query)
    .filter(([name]) => name !== "page" && name !== "limit")
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hashSecret(JSON.stringify(sorted)).toString("base64url").slice(0, 22);
}

const listOf = (context: Context, report: string) =>
  [`reports.${report}`, context.who.organizationId] as const;

export function writeReportCursor(
  context: Context,
  report: string,
  query: Query,
  cursor: ReportCursor,
): string {
  const { horizon, atMs, range, position } = cursor;
  const { from, to } = range;
  const { untilMs, snapshot } = horizon;
  const value = [
    questionOf(query),
    untilMs,
    snapshot,
    atMs,
    from.getTime(),
    to.getTime(),
    position,
  ];
  return makeCursors(context.secrets).write(...listOf(context, report), value);
}

/** Rule REP3. */
export function readReportCursor(
  context: Context,
  report: string,
  query: Query,
): ReportCursor | undefined {
  const page = query["page"] as string | undefined;
  const value = makeCursors(context.secrets).read(...listOf(context, report), page);
  if (value === undefined) return undefined;
  const [question, untilMs, snapshot, atMs, fromMs, toMs, position] = value as [
    string,
    number | null,
    string,
    number,
    number,
    number,
    string[],
  ];
  if (question !== questionOf(query))
    throw invalid(
      "page: belongs to a report with other filters, groups or times; send the same query with it.",
    );
  if (context.clock.now().getTime() - atMs > limits.cursorLifeMs)
    throw invalid("page: is more than an hour old; ask for the report again without it.");
  const range = { from: new Date(fromMs), to: new Date(toMs) };
  return { horizon: { untilMs, snapshot }, atMs, range, position };
}

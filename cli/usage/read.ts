// Reads a report to its end, over all ranges and pages, and adds up what belongs together.
import { ApiError } from "../../contract/client.ts";
import type { CostRow, UsageRow } from "../../contract/types.ts";
import { CliError } from "../terminal.ts";
import type { Grouping } from "./options.ts";
import type { ReportKind } from "./columns.ts";
import { queryRangesOf, type DayRange } from "./days.ts";

export interface ReportLine {
  /** Of a day, the day; empty where the ledger has none. */
  id: string;
  name: string | null;
  numbers: Map<string, bigint>;
}

export interface ReportLines {
  lines: Map<string, ReportLine>;
  /** When the first page was read: later usage may be missing. */
  refreshedAt: string | null;
}

type Row = UsageRow | CostRow;
export interface ReportPage<Some extends Row> {
  data: Some[];
  next_page: string | null;
  data_refreshed_at: string | null;
}

interface AskedPage {
  starting_at: string;
  ending_at: string;
  limit: number;
  group_by?: (typeof groupOf)[keyof typeof groupOf][];
  time_bucket_width?: "1d";
  page?: string;
}

const pageRows = 1_000;
const groupOf = {
  model: "model",
  workspace: "workspace_id",
  key: "api_key_id",
  member: "member",
  session: "session_id",
  agent: "agent_id",
  deployment: "deployment_id",
  environment: "environment_id",
  origin: "origin",
} as const;

export async function readReport<Some extends Row>(
  kind: ReportKind<Some>,
  { days, by }: { days: DayRange; by: Grouping },
  ask: (query: AskedPage) => Promise<ReportPage<Some>>,
): Promise<ReportLines> {
  const found: ReportLines = { lines: new Map(), refreshedAt: null };
  const how = by === "day" ? { time_bucket_width: "1d" as const } : { group_by: [groupOf[by]] };
  for (const piece of queryRangesOf(days)) {
    let page: string | null = null;
    do {
      const query: AskedPage = {
        ...piece,
        ...how,
        limit: pageRows,
        ...(page !== null && { page }),
      };
      const answer: ReportPage<Some> = await ask(query);
      found.refreshedAt ??= answer.data_refreshed_at;
      for (const row of answer.data) add(found.lines, kind, row, by);
      page = answer.next_page;
    } while (page !== null);
  }
  return found;
}

function add<Some extends Row>(
  lines: Map<string, ReportLine>,
  { columns }: ReportKind<Some>,
  row: Some,
  by: Grouping,
): void {
  const key = keyOf(row, by);
  const line = lines.get(key.id) ?? { ...key, numbers: new Map<string, bigint>() };
  for (const { name, of } of columns)
    line.numbers.set(name, (line.numbers.get(name) ?? 0n) + of(row));
  lines.set(key.id, line);
}

function keyOf({ starting_at, group }: Row, by: Grouping): Pick<ReportLine, "id" | "name"> {
  if (by === "day") return { id: starting_at.slice(0, 10), name: null };
  if (by !== "member") return { id: group[groupOf[by]] ?? "", name: null };
  const { member } = group;
  if (member === null) return { id: "", name: null };
  if (member.type === "user_actor")
    return { id: member.user_id, name: member.name ?? member.email_address };
  const id = "api_key_id" in member ? member.api_key_id : member.service_account_id;
  return { id, name: null };
}

/** With advice where the organization is of a type whose API has no reports. */
export async function expectPlatform<T>(address: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "organization_type_not_supported")
      throw error;
    throw new CliError(
      `Reports over the API are those of platform organizations. This one has them in the console: open ${address}/console/usage.`,
    );
  }
}

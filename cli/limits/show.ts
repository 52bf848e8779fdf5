// `plinth limits`: what holds and what is used of it.
import { formatDollars } from "../../client/text/words.ts";
import type { ConsoleRateLimit, ConsoleSpendLimit, LimitsInUse } from "../../contract/types.ts";
import { askAsAdmin } from "../administration.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import type { ShowFlags } from "./options.ts";

export async function show(terminal: Terminal, flags: ShowFlags): Promise<void> {
  const query = flags.workspace === undefined ? {} : { workspace_id: flags.workspace };
  const found = await askAsAdmin(terminal, flags, (client) => client.limits.retrieve({ query }));
  printResult(terminal, flags, found, () => textOf(terminal, found, flags));
}

function textOf(terminal: Terminal, found: LimitsInUse, flags: ShowFlags): string {
  const rates = rateRows(found.rate_limits, flags.all === true);
  const left = found.rate_limits.flatMap(({ limits }) => limits).length - rates.length;
  const spend = listTable(
    terminal,
    [`SPEND OF ${found.month}`, "LIMIT", "SPENT", "UNDER WAY", "USED"],
    found.spend_limits.map((limit) => spendRow(limit, flags.ids === true)),
  );
  if (left > 0 && flags.json !== true)
    terminal.note(`${terminal.dim(`${left} more rates, neither set nor used, with --all.`)}\n`);
  if (rates.length === 0) return spend;
  const titles = ["MODELS", "A MINUTE", "LIMIT", "LAST MINUTE", "USED", "FROM"];
  return `${listTable(terminal, titles, rates)}\n${spend}`;
}

function rateRows(rates: readonly ConsoleRateLimit[], all: boolean): string[][] {
  return rates.flatMap(({ workspace_id: workspace, group, limits }) =>
    limits
      .filter(({ used, source: { type } }) => {
        const isOwn = type !== "default" && (workspace === null || type !== "organization");
        return all || used > 0 || isOwn;
      })
      .map(({ type, value, used, source }) => [
        escapeControls(group.display_name),
        type.replace(/_per_minute$/, "").replaceAll("_", " "),
        value.toLocaleString("en"),
        used.toLocaleString("en"),
        share(used, value),
        source.type,
      ]),
  );
}

function spendRow(limit: ConsoleSpendLimit, areIds: boolean): string[] {
  const { scope, workspace_name: name, amount, period_to_date_spend: spent, reserved } = limit;
  const whose =
    scope.type === "organization"
      ? "organization"
      : areIds || name === null
        ? scope.workspace_id
        : escapeControls(name);
  return [
    whose,
    amount === null ? "none" : formatDollars(amount),
    formatDollars(spent),
    formatDollars(reserved),
    amount === null ? "-" : share(Number(spent) + Number(reserved), Number(amount)),
  ];
}

export const share = (used: number, most: number): string =>
  most === 0 ? "-" : `${Math.floor((100 * used) / most)} %`;

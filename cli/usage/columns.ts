// The numbers of a line: counts of tokens, or amounts of money. Both are added as whole numbers.
import type { CostRow, UsageRow } from "../../contract/types.ts";
import { formatCount, formatDollars } from "../../client/text/words.ts";

export interface ReportColumn<Row> {
  name: string;
  of(row: Row): bigint;
  isAmount?: true;
}

export interface ReportKind<Row> {
  columns: readonly ReportColumn<Row>[];
  /** A column as people see it: a title, and the values that it adds up. */
  shown: readonly (readonly [title: string, ...names: string[]])[];
  /** The value that orders lines, and that bars show. */
  measure: string;
}

const number = (
  name: string,
  of: (row: UsageRow["usage"]) => number | null,
): ReportColumn<UsageRow> => ({
  name,
  of: ({ usage }) => BigInt(of(usage) ?? 0),
});

export const tokens: ReportKind<UsageRow> = {
  columns: [
    number("uncached_input_tokens", (usage) => usage.uncached_input_tokens),
    number("cache_read_input_tokens", (usage) => usage.cache_read_input_tokens),
    number("cache_write_5m_tokens", (usage) => usage.cache_creation.ephemeral_5m_input_tokens),
    number("cache_write_1h_tokens", (usage) => usage.cache_creation.ephemeral_1h_input_tokens),
    number("output_tokens", (usage) => usage.output_tokens),
    number("total_tokens", (usage) => usage.total_tokens),
    number("requests", (usage) => usage.requests),
  ],
  shown: [
    ["INPUT", "uncached_input_tokens"],
    ["CACHE READ", "cache_read_input_tokens"],
    ["CACHE WRITE", "cache_write_5m_tokens", "cache_write_1h_tokens"],
    ["OUTPUT", "output_tokens"],
    ["TOKENS", "total_tokens"],
    ["ATTEMPTS", "requests"],
  ],
  measure: "total_tokens",
};

export const money: ReportKind<CostRow> = {
  columns: [
    { name: "amount", of: ({ cost }) => parsed(cost.amount), isAmount: true },
    { name: "list_amount", of: ({ cost }) => parsed(cost.list_amount), isAmount: true },
    { name: "requests", of: ({ cost }) => BigInt(cost.requests ?? 0) },
  ],
  shown: [
    ["COST", "amount"],
    ["LIST PRICE", "list_amount"],
    ["ATTEMPTS", "requests"],
  ],
  measure: "amount",
};

/** Cents have up to this many decimals: half a nano-dollar is the least. */
const decimals = 8;
const one = 10n ** BigInt(decimals);

function parsed(text: string): bigint {
  const [whole = "0", rest = ""] = text.split(".");
  return BigInt(whole) * one + BigInt(rest.padEnd(decimals, "0").slice(0, decimals));
}

/** In the API's form. */
export function hundredths(amount: bigint): string {
  const rest = String(amount % one)
    .padStart(decimals, "0")
    .replace(/0+$/, "");
  return `${amount / one}${rest === "" ? "" : `.${rest}`}`;
}

export const formatValue = (value: bigint, isAmount: boolean): string =>
  isAmount ? formatDollars(Number(value) / Number(one)) : formatCount(Number(value));

// What the results and the ledger of a batch must say, made from what the upstream counted.
import type { Call } from "./batches-upstream.ts";

/** An odd sum is rounded up when it is halved. */
export const prices = { input: 11, output: 101 };

export interface Line {
  custom_id: string;
  result:
    | {
        type: "succeeded";
        message: {
          model: string;
          content: { type: string; text: string }[];
          usage: { input_tokens: number; output_tokens: number; service_tier: string };
        };
      }
    | { type: "errored"; error: { type: string; error: { type: string } } }
    | { type: "canceled" }
    | { type: "expired" };
}

export interface LedgerRow {
  request_id: string;
  kind: string;
  outcome: string;
  estimated: boolean;
  input: number;
  output: number;
  nano: number;
  list: number;
}

export interface BatchEvidence {
  items: readonly string[];
  lines: readonly Line[];
  rows: readonly LedgerRow[];
  calls: readonly Call[];
  /** After so many refusals in one process a request is given up. */
  attemptsMax: number;
  excuses(call: Call): boolean;
}

export const costOf = (input: number, output: number) =>
  input * prices.input + output * prices.output;

/** Sentences about what is not as it must be. */
export function faultsOf(evidence: BatchEvidence): string[] {
  return [...faultsOfLines(evidence), ...faultsOfRows(evidence), ...faultsOfCalls(evidence)];
}

function faultsOfLines({ items, lines, calls, attemptsMax }: BatchEvidence): string[] {
  const byInput = new Map(calls.map((call) => [call.input, call]));
  const refusals = Map.groupBy(
    calls.filter(({ fate }) => fate === "refused"),
    ({ item }) => item,
  );
  const known = new Set(items);
  const linesById = Map.groupBy(lines, ({ custom_id }) => custom_id);
  const missing = items
    .filter((item) => !linesById.has(item))
    .map((item) => `${item} has no result`);
  const doubled = [...linesById].flatMap(([item, all]) =>
    all.length > 1 ? [`${item} has ${all.length} results`] : [],
  );
  const strange = [...linesById.keys()]
    .filter((id) => !known.has(id))
    .map((id) => `${id} is not ours`);
  const wrong = lines.flatMap((line) => {
    const { custom_id: item, result } = line;
    const say = (what: string) => [`${item}: ${what}: ${JSON.stringify(result)}`];
    if (result.type === "succeeded") {
      const { usage, content } = result.message;
      const call = byInput.get(usage.input_tokens);
      if (call?.item !== item || call.fate !== "answered") return say("no answer of the upstream");
      if (usage.output_tokens !== call.output || usage.service_tier !== "batch")
        return say("another usage");
      return content[0]?.text === `${item} `.repeat(call.output) ? [] : say("another text");
    }
    if (result.type !== "errored") return say("neither canceled nor expired was asked for");
    const { type } = result.error.error;
    const [kind = ""] = item.split("-");
    const expected = { bad: "invalid_request_error", odd: "invalid_request_error" }[kind];
    if (expected !== undefined) return type === expected ? [] : say("another error");
    if (kind === "sick") return type === "api_error" ? [] : say("another error");
    const refused = refusals.get(item)?.length ?? 0;
    return refused >= attemptsMax ? [] : say(`given up after ${refused} refusals`);
  });
  return [...missing, ...doubled, ...strange, ...wrong];
}

/** Each answer that is a result is one row at half the price; errors cost nothing. */
function faultsOfRows({ lines, rows }: BatchEvidence): string[] {
  const served = new Map(
    rows.filter(({ outcome }) => outcome === "served").map((row) => [row.input, row]),
  );
  const failed = rows.filter(({ outcome }) => outcome !== "served");
  const errored = lines.filter(({ result }) => result.type === "errored").length;
  const wrong = lines.flatMap(({ custom_id, result }) => {
    if (result.type !== "succeeded") return [];
    const { input_tokens: input, output_tokens: output } = result.message.usage;
    const row = served.get(input);
    served.delete(input);
    const list = costOf(input, output);
    const nano = Math.ceil(list / 2);
    const isRight =
      row?.output === output && row.nano === nano && row.list === list && !row.estimated;
    return isRight
      ? []
      : [`${custom_id} should cost ${nano}: the ledger has ${JSON.stringify(row)}`];
  });
  const say = (what: string) => (row: LedgerRow) => `${what}: ${JSON.stringify(row)}`;
  const count = rows.length - failed.length;
  const distinct = new Set(rows.filter(({ outcome }) => outcome === "served").map((r) => r.input));
  return [
    ...wrong,
    ...[...served.values()].map(say("paid without a result")),
    ...(distinct.size < count ? [`${count - distinct.size} answers were paid twice`] : []),
    ...rows.filter(({ kind }) => kind !== "batch").map(say("not of a batch")),
    ...failed
      .filter(({ nano, outcome }) => nano > 0 || outcome !== "failed")
      .map(say("no failure")),
    ...(failed.length > errored ? [`${failed.length} failed hops, ${errored} errors`] : []),
  ];
}

/** Answers that are no result, and requests without a waiting process. */
export function wasted({ lines, calls }: Pick<BatchEvidence, "lines" | "calls">): Call[] {
  const used = new Set(
    lines.flatMap(({ result }) =>
      result.type === "succeeded" ? [result.message.usage.input_tokens] : [],
    ),
  );
  return calls.filter(({ fate, input }) => fate !== "refused" && !used.has(input));
}

function faultsOfCalls(evidence: BatchEvidence): string[] {
  return wasted(evidence)
    .filter((call) => !evidence.excuses(call))
    .map((call) => `asked in vain, and no kill explains it: ${JSON.stringify(call)}`);
}

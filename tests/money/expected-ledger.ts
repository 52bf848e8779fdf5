// What the ledger must say, made from what the upstream counted, and where it says something else.
import type { RequestReport } from "./load.ts";
import { inputTokens, type Attempt } from "./upstream.ts";

export const prices = { input: 10, output: 100 };

export interface LedgerRow {
  request_id: string;
  /** Of a request that was abandoned: where it asked to be answered. */
  tag: string | null;
  model: string;
  outcome: string;
  estimated: boolean;
  output: number;
  nano: number;
  reserve: number;
}

const costOf = (output: number) => inputTokens * prices.input + output * prices.output;

/** One line for each hop of an answered request, as `model outcome nano`. */
export function expectedOf({ stream }: RequestReport, attempts: readonly Attempt[]): string[] {
  return attempts.map(({ model, ending, output }, at) => {
    const next = attempts[at + 1];
    // A fallback that was overloaded has not run: the refusal before it was the answer.
    const isLast = next === undefined || next.ending === "fail";
    const charged = output > 0 ? costOf(output) : 0;
    if (ending === "fail") return `${model} failed 0`;
    if (ending === "break") return `${model} failed ${charged}`;
    if (ending === "end") return `${model} served ${costOf(output)}`;
    return isLast ? `${model} served ${charged}` : `${model} declined ${stream ? charged : 0}`;
  });
}

/**
 * Of a client that left before a byte: what the upstream heard and answered, or was about to answer, is paid, with its
 * input at least; what it has not heard is not.
 */
function faultOfAbandoned(
  mine: readonly LedgerRow[],
  asked: readonly Attempt[],
  wasKilled: boolean,
): string | undefined {
  const costly = mine.filter(({ nano }) => nano > 0);
  // Where the final usage had come by then, that counts.
  const exact = mine.filter(
    ({ outcome, estimated, nano }) => outcome === "cut" && !estimated && nano > 0,
  );
  for (const { model, output } of exact)
    if (!asked.some((attempt) => attempt.model === model && attempt.output === output))
      return `${output} tokens of ${model} are not marked as estimated`;
  const unheard = mine.some(({ outcome }) => outcome === "lost") ? 1 : 0;
  if (costly.length > asked.length + unheard) return "more hops were paid than attempted";
  if (wasKilled) return undefined;
  const due = asked.filter(({ ending }) => ending === "end" || ending === "break");
  for (const { model } of due) {
    const paid = mine.find((row) => row.model === model)?.nano ?? 0;
    if (paid < costOf(0)) return `${paid} was paid for ${model}`;
  }
  return undefined;
}

/** Sentences about requests whose rows are wrong. `isKilled`: their server may have died before it settled them. */
export function faultsOf(
  reports: readonly RequestReport[],
  rows: readonly LedgerRow[],
  attempts: ReadonlyMap<string, readonly Attempt[]>,
  isKilled: (story: RequestReport) => boolean,
): string[] {
  const byRequest = Map.groupBy(rows, ({ request_id }) => request_id);
  const byTag = Map.groupBy(rows, ({ tag }) => tag);
  return reports.flatMap((story) => {
    const isAbandoned = story.seen === "abandoned" && story.tag !== undefined;
    const mine =
      (isAbandoned ? byTag.get(story.tag ?? "") : byRequest.get(story.requestId ?? "")) ?? [];
    const asked = attempts.get(story.question.id) ?? [];
    const say = (what: string) => [
      `${story.question.id} (${story.seen}, ${story.requestId}): ${what}; the ledger has ${JSON.stringify(mine)}, the upstream ${JSON.stringify(asked)}`,
    ];
    if (story.seen === "refused")
      return mine.length > 0 || asked.length > 0 ? say("a refused request was asked or paid") : [];
    if (story.seen === "answered" || story.seen === "failed") {
      const expected = expectedOf(story, asked).sort().join(", ");
      const found = mine.map(({ model, outcome, nano }) => `${model} ${outcome} ${nano}`);
      return found.sort().join(", ") === expected ? [] : say(`expected ${expected}`);
    }
    if (isAbandoned) {
      const fault = faultOfAbandoned(mine, asked, isKilled(story));
      return fault === undefined ? [] : say(fault);
    }
    if (story.requestId === undefined) return [];
    // Something was relayed, so it was reserved before, and is settled since.
    if (mine.length === 0) return say("what was relayed is not in the ledger");
    const costly = mine.filter(({ nano }) => nano > 0);
    // A process may die between a reservation and the moment in which the upstream hears of the attempt.
    const unheard = mine.some(({ outcome }) => outcome === "lost") ? 1 : 0;
    if (costly.length > asked.length + unheard) return say("more hops were paid than attempted");
    const paid = mine.reduce((sum, { nano }) => sum + nano, 0);
    const most = mine.reduce((sum, { reserve }) => sum + reserve, 0);
    const least = story.seen === "left" && story.deltas > 0 ? story.deltas * prices.output : 0;
    return paid > most || paid < least ? say(`${paid} is not between ${least} and ${most}`) : [];
  });
}

// How hops are settled that do not serve: declined for another one, or broken off.
import * as fallbacks from "../../fallbacks/module.ts";
import { noTokens, type TokenCounts } from "../../models/module.ts";
import { countsOf, settleHop } from "../run/settle-hop.ts";
import { isEndedByClient, type PreparedRequest } from "../prepare/prepared-request.ts";
import { hasEstimatedUsage, hopUsageOf } from "./counted-usage.ts";
import { flushBlankText, readEvents } from "./hop-stream.ts";
import { hasGivenOutput, type Answer, type Hop, type HopStream } from "./hops.ts";

/** Charged is what the client has of it. */
export function settleDeclined({ prepared }: Answer, hop: Hop): Promise<void> {
  const hasOutput = hasGivenOutput(hop);
  const used = countsOf(prepared, hop.answering, hopUsageOf(prepared, hop));
  const counts = fallbacks.declinedCounts(used, hasOutput);
  const estimated = hasOutput && hasEstimatedUsage(hop);
  return settleHop(prepared, hop.answering, { outcome: "declined", counts, used, estimated });
}

/** A stream that the client did not get to its end: it has gone, or the upstream broke. */
export async function settleBroken(answer: Answer, stream: HopStream): Promise<void> {
  const hasLeft = answer.prepared.actor.signal.aborted && isEndedByClient(answer.prepared);
  if (hasLeft) await readRest(answer, stream);
  const isRefused = stream.refusal !== undefined;
  stream.answering.record.why ??= hasLeft ? "client_gone" : "broken_off";
  const isCharged = stream.hasOutput || (hasLeft && !isRefused);
  let counts = noTokens;
  try {
    if (isCharged) counts = brokenCounts(answer.prepared, stream, hasLeft);
  } finally {
    // A row that stays open keeps its reservation.
    await settleHop(answer.prepared, stream.answering, {
      outcome: hasLeft ? "cut" : "failed",
      counts,
      estimated: hasEstimatedUsage(stream),
    });
  }
}

/** Counts what the model is known to have written, also where no event reports it, as hidden thoughts. */
function brokenCounts(prepared: PreparedRequest, stream: HopStream, hasLeft: boolean): TokenCounts {
  const usage = hopUsageOf(prepared, stream);
  if (!hasLeft || stream.end !== undefined) return countsOf(prepared, stream.answering, usage);
  const { outputTokensMax, progress } = stream.answering;
  const reported = stream.reported?.usage.output_tokens ?? 0;
  const known = Math.max(reported, Math.min(progress.writtenTokens, outputTokensMax));
  const output_tokens = Math.max(usage.output_tokens, known);
  return countsOf(prepared, stream.answering, { ...usage, output_tokens });
}

/** Reads what has come from the upstream and waited for the client: the model has written it all the same. */
async function readRest(answer: Answer, stream: HopStream): Promise<void> {
  try {
    while (stream.refusal === undefined && (await readEvents(answer, stream)));
  } catch {
    // The stream was aborted: the upstream sends no more.
  }
  if (stream.refusal === undefined) flushBlankText(answer, stream);
  answer.out = [];
}

// The end of an answer: the serving hop is settled, and then its last events are given.
import { noTokens, asWireEvent } from "../../models/module.ts";
import { countsOf, settleHop, shownUsage } from "../run/settle-hop.ts";
import { hasEstimatedUsage, hopUsageOf } from "./counted-usage.ts";
import {
  appliedEdits,
  finalUsage,
  messageDefaults,
  refusalDetails,
  stickyRouteStatement,
} from "./ending.ts";
import { closeOpenBlock, idOf, releaseStart } from "./hop-stream.ts";
import { contentOf, type Answer, type Hop, type WholeHop } from "./hops.ts";

/** The end: settled first, so that an answered request is always in the ledger, then the last events. */
export async function finish(answer: Answer, hop: Hop, recommendedModel?: string): Promise<void> {
  const { prepared } = answer;
  const { answering, refusal } = hop;
  const usage = hopUsageOf(prepared, hop);
  const isCharged = refusal === undefined || hasServedOutput(hop);
  const used = countsOf(prepared, answering, usage);
  const counts = isCharged ? used : noTokens;
  const end = endOf(hop);
  const stop_reason = refusal === undefined ? end.stop_reason : "refusal";
  const { hop: serving, record } = answering;
  prepared.record.serve(serving.model.id, {
    isFallback: serving.index > 0,
    stopReason: stop_reason,
  });
  if (refusal !== undefined) record.why = refusal.category ?? "refusal";
  const content = [...answer.content, ...contentOf(hop)];
  const row = stickyRouteStatement(prepared, answering.hop, { content, stop_reason });
  const estimated = isCharged && hasEstimatedUsage(hop);
  // What a refusal leaves is no turn: the thread is as before.
  const thread = refusal === undefined ? prepared.thread : undefined;
  const turn = thread && (await thread.keep({ content, stopReason: stop_reason }));
  const served = { outcome: "served", counts, used, estimated, with: [row, turn] } as const;
  const ending = { ...served, stopReason: stop_reason };
  await Promise.all([...answer.settled, settleHop(prepared, answering, ending)]);
  const refused = refusal && { answering, usage, partial: content, isCharged, ...refusal };
  const stop_details = refused ? refusalDetails(prepared, { ...refused, recommendedModel }) : null;
  if (hop.kind === "whole") putWhole(answer, hop);
  else {
    releaseStart(answer, hop);
    closeOpenBlock(answer, hop);
  }
  const last = {
    ...end.event,
    ...appliedEdits(prepared, answering),
    type: "message_delta",
    delta: { ...end.delta, stop_reason, stop_details },
    usage: finalUsage(prepared, answering, usage, answer.declined),
  };
  answer.out.push(asWireEvent(last), asWireEvent({ type: "message_stop" }));
}

/** A whole answer is given from here on: all that is left of it belongs to the client. */
const hasServedOutput = (hop: Hop) =>
  hop.kind === "whole" ? hop.message.content.length > 0 : hop.hasOutput;

/** What the upstream says of its answer as it ends. */
function endOf(hop: Hop) {
  if (hop.kind === "whole") {
    const whole = { ...messageDefaults, ...hop.message };
    const { stop_reason, stop_sequence, container, context_management } = whole;
    return { stop_reason, delta: { stop_sequence, container }, event: { context_management } };
  }
  const given = (hop.end?.["delta"] ?? {}) as Record<string, unknown>;
  return {
    stop_reason: String(given["stop_reason"]),
    delta: { stop_sequence: null, container: null, ...given },
    event: { ...hop.end, context_management: hop.end?.["context_management"] ?? null },
  };
}

/** Events of an answer that came in one piece: each block is whole from its beginning. */
function putWhole({ prepared, boundaries, out, nextIndex }: Answer, whole: WholeHop): void {
  const { answering, message } = whole;
  const shown = {
    ...messageDefaults,
    ...message,
    ...idOf(prepared),
    model: answering.hop.model.id,
    content: [],
    stop_reason: null,
    usage: shownUsage(prepared, answering, message.usage),
  };
  out.push(asWireEvent({ type: "message_start", message: shown }), ...boundaries);
  for (const [at, block] of message.content.entries()) {
    const index = nextIndex + at;
    out.push(
      asWireEvent({ type: "content_block_start", index, content_block: block }),
      asWireEvent({ type: "content_block_stop", index }),
    );
  }
}

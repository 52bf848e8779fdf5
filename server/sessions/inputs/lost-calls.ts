// Calls that a worker had taken when it was lost, or that no worker answers: this server answers them, so that the
// session goes on.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { listCalls } from "../events/queries.ts";
import { takeEvents } from "../events/send.ts";
import type { ClientEventInput } from "./schema.ts";
import { actorOf } from "../model/caller.ts";
import { loadSessions } from "../model/queries.ts";
import { isForWorker } from "../steps/waiting-calls.ts";

/** As a worker would, in words for the model. */
export async function answerLostCalls(
  tx: Tx,
  world: World,
  sessionId: string,
  why: keyof typeof words,
): Promise<void> {
  const [session] = await loadSessions(tx, [sessionId]);
  const lost = (await listCalls(tx, sessionId)).filter(isForWorker);
  if (session === undefined || lost.length === 0) return;
  const actor = await actorOf(world, session, new AbortController().signal);
  const events = lost.map(({ eventId }): ClientEventInput => ({
    type: "user.tool_result",
    tool_use_id: eventId,
    content: [{ type: "text", text: words[why] }],
    is_error: true,
  }));
  await takeEvents(tx, actor, sessionId, events);
}

const words = {
  lost: "The worker that ran this call was lost before it sent a result: the outcome is unknown. The call may or may not have had its effect; check before it is run again.",
  given_up:
    "Workers took the work of this session again and again, and each time it ended without a result of this call: it is given up, and was not run as far as is known. What the workers of the environment print says why.",
} as const;

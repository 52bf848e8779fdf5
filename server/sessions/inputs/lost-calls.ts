// Calls that a worker had taken when it was lost: this server answers them, so that the session goes on.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { listCalls } from "../events/queries.ts";
import { takeEvents } from "../events/send.ts";
import type { ClientEventInput } from "./schema.ts";
import { actorOf } from "../model/caller.ts";
import { loadSessions } from "../model/queries.ts";
import { isForWorker } from "../steps/waiting-calls.ts";

/** As a worker would, in its own words for the model: whether they had an effect, nobody knows. */
export async function answerLostCalls(tx: Tx, world: World, sessionId: string): Promise<void> {
  const [session] = await loadSessions(tx, [sessionId]);
  const lost = (await listCalls(tx, sessionId)).filter(isForWorker);
  if (session === undefined || lost.length === 0) return;
  const actor = await actorOf(world, session, new AbortController().signal);
  const events = lost.map(({ eventId }): ClientEventInput => ({
    type: "user.tool_result",
    tool_use_id: eventId,
    content: [{ type: "text", text: outcomeUnknown }],
    is_error: true,
  }));
  await takeEvents(tx, actor, sessionId, events);
}

const outcomeUnknown =
  "The worker that ran this call was lost before it sent a result: the outcome is unknown. The call may or may not have had its effect; check before it is run again.";

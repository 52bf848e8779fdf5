// The calls of a thread that wait for a client, as the rows beside its log have them.
import type { Call, ThreadState } from "../conversation/state.ts";
import type { OpenCall } from "../events/queries.ts";
import type { WorkedSession } from "../model/queries.ts";

const isWaiting = ({ result, permission, kind }: Call) =>
  result === null && permission !== "deny" && kind !== "agent";

export const waitingCalls = ({ calls }: ThreadState): string =>
  calls
    .filter(isWaiting)
    .map(({ id, confirmation }) => `${id} ${confirmation?.result ?? ""}`)
    .join();

/** A tool of the agent's computer that may run, and is not run by this server. */
export const isForWorker = ({ kind, needsConfirmation, needsResult }: OpenCall): boolean =>
  kind === "built_in" && needsResult && !needsConfirmation;

export const openCallsOf = (
  { calls }: ThreadState,
  threadId: string,
  { environmentType }: Pick<WorkedSession, "environmentType">,
): OpenCall[] =>
  calls
    .filter((call) => isWaiting(call) && call.confirmation?.result !== "deny")
    .map(({ id, kind, permission, confirmation }) => ({
      eventId: id,
      threadId,
      kind: kind === "custom" ? "custom" : "built_in",
      needsConfirmation: permission === "ask" && confirmation === null,
      needsResult: kind === "custom" || environmentType === "self_hosted",
    }));

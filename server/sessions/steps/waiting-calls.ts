// The calls of a thread that wait for a client, as the rows beside its log have them.
import { isAsked } from "../conversation/calls.ts";
import type { Call, ThreadState } from "../conversation/state.ts";
import type { OpenCall } from "../events/queries.ts";
import type { WorkedSession } from "../model/queries.ts";
import { toolsRunHere } from "../model/tools.ts";

const isWaiting = ({ result, permission, kind }: Call) =>
  result === null && permission !== "deny" && kind !== "agent";

export const waitingCalls = ({ calls }: ThreadState): string =>
  calls
    .filter(isWaiting)
    .map((call) => {
      const { id, confirmation, question } = call;
      return `${id} ${confirmation?.result ?? ""} ${isAsked(call) ? question?.id : ""}`;
    })
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
    .map((call): OpenCall => {
      if (call.question !== null && isAsked(call))
        return {
          eventId: call.question.id,
          threadId,
          kind: "question",
          needsConfirmation: false,
          needsResult: true,
        };
      const kind = kindOf(call, environmentType);
      const needsConfirmation = call.permission === "ask" && call.confirmation === null;
      return {
        eventId: call.id,
        threadId,
        kind,
        needsConfirmation,
        needsResult: kind !== "server",
      };
    })
    // What this server runs itself waits for no client's result.
    .filter(({ needsConfirmation, needsResult }) => needsConfirmation || needsResult);

function kindOf(
  { kind, name }: Call,
  environmentType: WorkedSession["environmentType"],
): OpenCall["kind"] {
  if (kind === "custom") return "custom";
  if (kind === "mcp") return "server";
  return toolsRunHere(environmentType).has(name) ? "server" : "built_in";
}

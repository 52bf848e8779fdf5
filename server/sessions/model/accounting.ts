// What the models of a session cost: admitted, reserved and settled as any message, and summed for its thread.
import { ledgerAccounting, type Accounting } from "../../messages/module.ts";
import type { Payer } from "../../usage/module.ts";
import { addUsage } from "./queries.ts";

/** What a session's calls are paid for, beside who pays. */
export type SessionDimensions = Pick<
  Payer,
  "sessionId" | "agentId" | "deploymentId" | "environmentId"
>;

/** `onSettled` hears what a call has cost as soon as it is durable. */
export function sessionAccounting(
  threadId: string,
  dimensions: SessionDimensions,
  onSettled: (listAmountNano: number) => void,
): Accounting {
  const { admit, ledger } = ledgerAccounting.vendor;
  return {
    isBatch: false,
    admit,
    ledger: (actor) => {
      const { open, close, whenWritten } = ledger(actor);
      return {
        open: (hop) =>
          open({
            ...hop,
            payer: { ...hop.payer, ...dimensions, kind: "agent", origin: "session" },
          }),
        close: async (hopId, settlement) => {
          const added = addUsage(threadId, settlement);
          await close(hopId, { ...settlement, with: [...(settlement.with ?? []), added] });
          onSettled(settlement.listAmountNano);
        },
        whenWritten,
      };
    },
  };
}

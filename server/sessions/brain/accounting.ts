// What the models of a session cost: admitted, reserved and settled as any message, and summed for its thread.
import { sql, type Statement } from "../../../kernel/sql/statement.ts";
import { ledgerAccounting, type Accounting } from "../../messages/module.ts";
import type { Payer, Settlement } from "../../usage/module.ts";

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
          const added = addition(threadId, settlement);
          await close(hopId, { ...settlement, with: [...(settlement.with ?? []), added] });
          onSettled(settlement.listAmountNano);
        },
        whenWritten,
      };
    },
  };
}

const addition = (threadId: string, { counts, listAmountNano }: Settlement): Statement => sql`
  update session_usage set
    input_tokens = input_tokens + ${counts.input}::bigint,
    output_tokens = output_tokens + ${counts.output}::bigint,
    cache_write_5m_tokens = cache_write_5m_tokens + ${counts.cacheWrite5m}::bigint,
    cache_write_1h_tokens = cache_write_1h_tokens + ${counts.cacheWrite1h}::bigint,
    cache_read_tokens = cache_read_tokens + ${counts.cacheRead}::bigint,
    list_amount_nano = list_amount_nano + ${listAmountNano}::bigint
  where thread_id = ${threadId}`;

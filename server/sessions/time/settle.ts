// Sessions take another status; what they ran for until then is settled in the same transaction.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { noTokens } from "../../models/module.ts";
import {
  journalSettledAttempts,
  meterSettled,
  nodeOf,
  type SettledAttempt,
} from "../../usage/module.ts";
import { setStatuses, type ChangedStatus, type StatusChange } from "../events/queries.ts";
import type { LockedSession } from "../queries.ts";
import { hourNanoOf } from "./settings.ts";

/** What a session that is deleted ran for, where its process is gone and it runs no more. */
export async function settleTime(tx: Tx, world: World, session: LockedSession): Promise<void> {
  if (session.unsettledMs === 0) return;
  const status = "terminated";
  const ended = { ...session, status, threadStatus: status, due: "never" } as const;
  await changeStatuses(tx, world, [ended], world.clock.now());
}

/** Answers how long each has run by now. Commits with the rows of the ledger, so that each period is there once. */
export async function changeStatuses(
  tx: Tx,
  world: World,
  changes: readonly StatusChange[],
  at: Date,
): Promise<ChangedStatus[]> {
  const changed = await setStatuses(tx, changes, { at, hourNano: hourNanoOf(world) });
  const settled = changed.flatMap((session) => attemptOf(world, session));
  if (settled.length > 0) await journalSettledAttempts(tx, nodeOf(world), settled);
  tx.afterCommit(() => {
    for (const { hop, settlement } of settled) meterSettled(world, hop.payer.model, settlement);
  });
  return changed;
}

/** A period on no model: what it cost was known when it ended, and nothing was reserved. */
function attemptOf(
  { ids }: Pick<World, "ids">,
  { settled, ...session }: ChangedStatus,
): SettledAttempt[] {
  if (settled === null || settled.amountNano === 0) return [];
  const { sinceMs, amountNano, ...payer } = settled;
  return [
    {
      hop: {
        id: ids.next("hop_"),
        requestId: ids.next("req_"),
        at: new Date(sinceMs),
        reserveNano: amountNano,
        payer: {
          ...payer,
          model: "session_time",
          upstream: "session",
          kind: "session_time",
          origin: "session",
          sessionId: session.id,
        },
      },
      settlement: {
        outcome: "served",
        counts: noTokens,
        amountNano,
        listAmountNano: amountNano,
        estimated: false,
      },
    },
  ];
}

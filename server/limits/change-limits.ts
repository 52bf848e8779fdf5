// How limits are changed: one change of an organization after the other, and every process learns of it.
import type { Context } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { limitsOf } from "./admission/process-limits.ts";
import * as queries from "./queries.ts";

/** The work says whether it changed anything. */
export async function changeLimits(
  context: Context,
  work: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  const { organizationId } = context.who;
  await context.db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    if (await work(tx)) tx.afterCommit(() => limitsOf(context).changed(organizationId));
  });
}

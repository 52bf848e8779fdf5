// What a session may cost: whole cents for its clients, exact nanos of a dollar here.
import { invalid } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { limits } from "./limits.ts";
import { expectSession } from "./named-session.ts";
import { nanoPerCent, presentBudget } from "./present.ts";
import type { SessionRow } from "./queries.ts";
import type { BudgetInput } from "./schema.ts";

export function nanoOf({ max_list_cost: { amount } }: BudgetInput): number {
  const cents = Number(amount);
  if (cents > limits.budgetCentsMax)
    throw invalid(
      `budget.max_list_cost.amount: must be at most ${limits.budgetCentsMax} cents; leave the budget out where there is to be none.`,
    );
  return cents * nanoPerCent;
}

/** What is not named stays; null takes it away. */
export async function changedBudget(
  tx: Tx,
  context: Context,
  { id, budgetNano }: SessionRow,
  given: BudgetInput | null | undefined,
): Promise<number | null> {
  if (given === undefined) return budgetNano;
  if (given === null) return null;
  if (budgetNano === null)
    throw invalid("budget: a session gets one when it is made, and none later.");
  const nano = nanoOf(given);
  const { usage } = await expectSession(context, id, tx);
  if (nano <= usage.listAmountNano)
    throw invalid(
      `budget.max_list_cost: must be more than the session has cost: ${presentBudget(usage.listAmountNano)?.max_list_cost.amount} cents.`,
    );
  return nano;
}

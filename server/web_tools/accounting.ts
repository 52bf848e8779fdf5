// What searches and pages cost: taken out of the limits of money before, and written to the ledger once it succeeded.
import { isFailure } from "../../kernel/base/failure.ts";
import type { Actor } from "../../kernel/context.ts";
import type { Statement } from "../../kernel/sql/statement.ts";
import { admit, type Admission } from "../limits/module.ts";
import { noTokens } from "../models/module.ts";
import { ToolFault, type ToolResult } from "../sandboxes/module.ts";
import { ledgerOf, type Payer } from "../usage/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import type { WebToolName } from "./config.ts";

export interface WebUse {
  name: WebToolName;
  listAmountNano: number;
}

/** In whose name a tool is used, and what for. */
export interface WebAccounting {
  actor: Actor;
  dimensions: Pick<Payer, "sessionId" | "agentId" | "deploymentId" | "environmentId">;
  /** Commits with what a use costs; it may be written twice for one use, which has this id. */
  countedBy(id: string, use: WebUse): Statement;
  /** It is durable. */
  onSettled(use: WebUse): void;
}

export interface Charge {
  name: WebToolName;
  /** Who is asked. */
  upstream: string;
  priceNano: number;
}

/**
 * Unlike an answer of a model it is not reserved in the ledger: one that fails leaves no row, and one whose process
 * dies before it is written was free. A limit that is reached is told to the model.
 */
export async function charged(
  accounting: WebAccounting,
  { name, upstream, priceNano }: Charge,
  act: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const { actor } = accounting;
  const admission = await admitted(actor, name, priceNano);
  let nano = 0;
  try {
    const result = await act();
    const use = { name, listAmountNano: priceNano };
    await write(accounting, use, upstream);
    nano = priceNano;
    accounting.onSettled(use);
    return result;
  } finally {
    admission.settle({ inputTokens: 0, outputTokens: 0, nano });
  }
}

/** Rates are of models: only what it costs counts. */
async function admitted(actor: Actor, name: WebToolName, reserveNano: number): Promise<Admission> {
  const nothing = { inputTokens: 0, outputTokensMax: 0 };
  try {
    return await admit(actor, {
      model: { group: name },
      ...nothing,
      reserveNano,
      isBackground: true,
    });
  } catch (error) {
    if (isFailure(error) && error.status === 429) throw new ToolFault(error.message);
    throw error;
  }
}

async function write(accounting: WebAccounting, use: WebUse, upstream: string): Promise<void> {
  const { actor, dimensions } = accounting;
  const { who, requestId, clock, ids } = actor;
  const id = ids.next("hop_");
  const ledger = ledgerOf(actor);
  const opened = ledger.open({
    id,
    requestId,
    at: clock.now(),
    reserveNano: use.listAmountNano,
    payer: {
      organizationId: who.organizationId,
      workspaceId: workspaceOf(actor),
      credentialId: who.credentialId,
      userId: who.userId ?? who.serviceAccountId ?? null,
      keyMakerId: who.keyMakerId ?? null,
      model: use.name,
      upstream,
      kind: use.name,
      origin: "session",
      ...dimensions,
    },
  });
  // Both go in one statement. A reservation that cannot be written fails; what is settled needs none.
  opened.catch(() => {});
  await ledger.close(id, {
    outcome: "served",
    counts: noTokens,
    amountNano: use.listAmountNano,
    listAmountNano: use.listAmountNano,
    estimated: false,
    with: [accounting.countedBy(id, use)],
  });
}

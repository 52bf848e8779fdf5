// In whose name a session asks its models, and what that costs: counted as any message is, and summed for its thread.
import type { Actor, Principal, World } from "../../../kernel/context.ts";
import { modelsOfPerson } from "../../groups/module.ts";
import { ledgerAccounting, type Accounting } from "../../messages/module.ts";
import type { Payer, Settlement } from "../../usage/module.ts";
import type { WebAccounting, WebUse } from "../../web_tools/module.ts";
import { addUsage, addWebUse, type SessionOwner, type WorkedSession } from "./queries.ts";

/** Its maker's, with what they may use now. */
export async function actorOf(
  world: World,
  owner: SessionOwner,
  signal: AbortSignal,
  requestId = world.ids.next("req_"),
): Promise<Actor> {
  const { organizationId, userId } = owner;
  const models = userId === null ? undefined : await modelsOfPerson(world, organizationId, userId);
  return {
    ...world,
    requestId,
    notes: {},
    betas: new Set(),
    signal,
    who: { ...principalOf(owner), ...(models !== undefined && { models }) },
  };
}

export const principalOf = (owner: SessionOwner): Principal => ({
  kind: "api_key",
  credentialId: owner.credentialId,
  organizationId: owner.organizationId,
  organizationType: owner.organizationType,
  workspaceId: owner.workspaceId,
  userId: owner.userId,
  ...(owner.keyMakerId !== null && { keyMakerId: owner.keyMakerId }),
  ...(owner.serviceAccountId !== null && { serviceAccountId: owner.serviceAccountId }),
  name: "a session",
  permissions: new Set(),
});

/** What a session's calls are paid for, beside who pays. */
export type SessionDimensions = Pick<
  Payer,
  "sessionId" | "agentId" | "deploymentId" | "environmentId"
>;

export const dimensionsOf = ({
  id,
  agent,
  deploymentId,
  environmentId,
}: WorkedSession): SessionDimensions => ({
  sessionId: id,
  agentId: agent.id,
  deploymentId,
  environmentId,
});

export interface SessionAccounting extends Accounting {
  readonly sessionId: string | null;
}

/** `onSettled` hears what a call has used as soon as it is durable. */
export function sessionAccounting(
  threadId: string,
  dimensions: SessionDimensions,
  onSettled: (settlement: Settlement) => void,
): SessionAccounting {
  const { admit, ledger } = ledgerAccounting.vendor;
  return {
    isBatch: false,
    sessionId: dimensions.sessionId ?? null,
    admit,
    ledger: (actor) => {
      const { open, close, whenWritten } = ledger(actor);
      return {
        open: ({ payer, ...hop }) => {
          const kind = payer.kind === "guard" ? payer.kind : "agent";
          return open({ ...hop, payer: { ...payer, ...dimensions, kind, origin: "session" } });
        },
        close: async (hopId, settlement) => {
          const added = addUsage(threadId, hopId, settlement);
          await close(hopId, { ...settlement, with: [...(settlement.with ?? []), added] });
          onSettled(settlement);
        },
        whenWritten,
      };
    },
  };
}

/** The same for what its agents search and fetch. */
export const webAccounting = (
  actor: Actor,
  threadId: string,
  dimensions: SessionDimensions,
  onSettled: (use: WebUse) => void,
): WebAccounting => ({
  actor,
  dimensions,
  countedBy: (hopId, use) => addWebUse(threadId, hopId, use),
  onSettled,
});

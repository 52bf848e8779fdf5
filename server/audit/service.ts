// Writes events into the audit log.
import type { Context, Principal, World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";
import { searchWordsOf } from "./search-words.ts";

export interface AuditAct {
  organizationId: string;
  /** `noun.verb_in_the_past`, such as `key.created`. */
  action: string;
  target?: { type: string; id: string };
  details?: Record<string, unknown>;
}

export interface AuditActor {
  type:
    | "user"
    | "service_account"
    | "identity_provider"
    | "api_key"
    | "admin_key"
    | "oauth_token"
    | "operator"
    | "system";
  id: string | null;
  name: string | null;
  address: string;
  requestId: string | null;
}

/** The person at this machine's own terminal: `plinth init` and first start. */
export const operator: AuditActor = {
  type: "operator",
  id: null,
  name: "the operator",
  address: "local",
  requestId: null,
};

/** A console sign-in and a token act for a person or a service account; a key acts as itself. */
export const actorOf = ({ who, address, requestId }: Context): AuditActor => ({
  ...actorIdentityOf(who),
  address,
  requestId,
});

/** A person or a service account where the credential acts for one; else the credential itself. */
export function actorIdentityOf(who: Principal): Pick<AuditActor, "type" | "id" | "name"> {
  const speaks = who.kind === "console" || who.kind === "oauth_token";
  const { name } = who;
  if (speaks && who.userId !== null) return { type: "user", id: who.userId, name };
  if (speaks && who.serviceAccountId !== undefined)
    return { type: "service_account", id: who.serviceAccountId, name };
  return { type: who.kind as AuditActor["type"], id: who.credentialId, name };
}

type Waiting = Parameters<typeof queries.appendEvents>[2][number];

/** Events that a transaction still has to write, by organization. */
const waiting = new WeakMap<Tx, Map<string, Waiting[]>>();

/**
 * Rules AUD1 and AUD5: call it inside the transaction that makes the change. The events are written as its last
 * statement, because a transaction that appends to a chain holds its head until the commit.
 */
export function record(
  tx: Tx,
  { ids, clock }: World,
  actor: AuditActor,
  act: AuditAct,
): Promise<void> {
  const event: queries.EventRow = {
    id: ids.next("audit_"),
    at: clock.now(),
    action: act.action,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    target_type: act.target?.type ?? null,
    target_id: act.target?.id ?? null,
    address: actor.address,
    request_id: actor.requestId,
    details: act.details ?? {},
  };
  const events = waiting.get(tx) ?? open(tx);
  const words = searchWordsOf(act.organizationId, event);
  events.set(act.organizationId, [...(events.get(act.organizationId) ?? []), { ...event, words }]);
  return Promise.resolve();
}

/** An act of the request's caller, in the caller's organization. */
export const recordByCaller = (
  tx: Tx,
  context: Context,
  act: Omit<AuditAct, "organizationId">,
): Promise<void> =>
  record(tx, context, actorOf(context), { ...act, organizationId: context.who.organizationId });

function open(tx: Tx): Map<string, Waiting[]> {
  const events = new Map<string, Waiting[]>();
  waiting.set(tx, events);
  tx.beforeCommit(async () => {
    // In one order everywhere: two transactions that write for the same organizations do not deadlock.
    const inOrder = [...events].toSorted(([one], [other]) => (one < other ? -1 : 1));
    for (const [organizationId, organizationEvents] of inOrder)
      await queries.appendEvents(tx, organizationId, organizationEvents);
  });
  return events;
}

// Writes down what was done, and shows it.
import type { Context, World } from "../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";
import type { AuditEvent, AuditQuery } from "./schema.ts";

export interface Act {
  organizationId: string;
  /** `noun.verb_in_the_past`, such as `key.created`. */
  action: string;
  target?: { type: string; id: string };
  details?: Record<string, unknown>;
}

export interface Actor {
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

/** Somebody at the machine's own terminal: `plinth init` and first start. */
export const operator: Actor = {
  type: "operator",
  id: null,
  name: "the operator",
  address: "local",
  requestId: null,
};

/** A console sign-in and a token speak for somebody; a key is somebody itself. */
export function actorOf(context: Context): Actor {
  const { who } = context;
  const speaks = who.kind === "console" || who.kind === "oauth_token";
  const user = speaks ? who.userId : null;
  const account = speaks ? who.serviceAccountId : undefined;
  const key = { type: who.kind as Actor["type"], id: who.credentialId };
  return {
    ...(user !== null
      ? { type: "user", id: user }
      : account !== undefined
        ? { type: "service_account", id: account }
        : key),
    name: who.name,
    address: context.address,
    requestId: context.requestId,
  };
}

/** Rule AUD1: call it inside the transaction that makes the change. */
export function record(tx: Tx, { ids, clock }: World, actor: Actor, act: Act): Promise<void> {
  return queries.insertEvent(tx, act.organizationId, {
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
  });
}

export async function listEvents(context: Context, query: AuditQuery) {
  const { db, secrets, who } = context;
  const cursors = makeCursors(secrets);
  const before = cursors.read("audit", who.organizationId, query.page) as string | undefined;
  const size = pageSize(query.limit);
  const rows = await queries.listEvents(db, who.organizationId, {
    before: before ?? null,
    action: query.action ?? null,
    rows: size + 1,
  });
  return toCursorPage(rows.map(toEvent), size, (last) =>
    cursors.write("audit", who.organizationId, last.id),
  );
}

const toEvent = (row: queries.EventRow): AuditEvent => ({
  id: row.id,
  type: "audit_event",
  at: row.at.toISOString(),
  action: row.action,
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  target: row.target_type === null ? null : { type: row.target_type, id: row.target_id ?? "" },
  address: row.address,
  request_id: row.request_id,
  details: row.details,
});

// Statements of the audit log.
import type { Queries, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface EventRow {
  id: string;
  at: Date;
  action: string;
  actor_type: string;
  actor_id: string | null;
  actor_name: string | null;
  target_type: string | null;
  target_id: string | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
}

export async function insertEvent(tx: Tx, organizationId: string, event: EventRow): Promise<void> {
  await tx.query(sql`
    insert into audit_events
      (id, organization_id, at, action, actor_type, actor_id, actor_name,
       target_type, target_id, address, request_id, details)
    values
      (${event.id}, ${organizationId}, ${event.at}, ${event.action}, ${event.actor_type},
       ${event.actor_id}, ${event.actor_name}, ${event.target_type}, ${event.target_id},
       ${event.address}, ${event.request_id}, ${JSON.stringify(event.details)})`);
}

export function listEvents(
  queries: Queries,
  organizationId: string,
  page: { before: string | null; action: string | null; rows: number },
): Promise<EventRow[]> {
  return queries.query<EventRow>(sql`
    select id, at, action, actor_type, actor_id, actor_name, target_type, target_id, address,
           request_id, details
    from audit_events
    where organization_id = ${organizationId}
      and (${page.before}::text is null or id < ${page.before})
      and (${page.action}::text is null or action = ${page.action})
    order by id desc
    limit ${page.rows}`);
}

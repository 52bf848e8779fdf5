// Statements of the export of the audit log, which is of all organizations.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { givenRows } from "../../../kernel/sql/rows/given-rows.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import { leasable, type Lease } from "../../../kernel/work/lease.ts";

export const exportLeases = leasable("audit_exports", { idColumn: "name" });

/** None where another process has it. */
export async function claimExport(on: Queryable, owner: string, name: string): Promise<Lease[]> {
  await on.query(sql`
    insert into audit_exports (name) values (${name}) on conflict (name) do nothing`);
  return exportLeases.claim<Lease>(on, {
    owner,
    where: sql`row.name = ${name}`,
    orderBy: sql`row.name`,
    limit: 1,
    name: "audit_export_claim",
  });
}

export interface Cursor {
  organizationId: string;
  /** Everything up to this number of the chain is written. */
  sequence: number;
}

/** Organizations whose log has grown since, in the order of their ids. */
export function listBehindExport(
  on: Queryable,
  name: string,
  { after, rows }: { after: string; rows: number },
): Promise<Cursor[]> {
  return on.query<Cursor>(
    preparedAs(
      "audit_export_behind",
      sql`
        select head.organization_id as "organizationId", coalesce(done.sequence, 0) as sequence
        from audit_heads head left join audit_export_cursors done
          on done.name = ${name} and done.organization_id = head.organization_id
        where head.organization_id > ${after} and head.seq > coalesce(done.sequence, 0)
        order by head.organization_id limit ${rows}`,
    ),
  );
}

/** No cursor ever goes back. */
export async function moveCursors(
  tx: Tx,
  name: string,
  cursors: readonly Cursor[],
  at: Date,
): Promise<void> {
  const given = givenRows("given", {
    organization_id: ["text", cursors.map(({ organizationId }) => organizationId)],
    sequence: ["bigint", cursors.map(({ sequence }) => sequence)],
  });
  await tx.query(
    preparedAs(
      "audit_export_move",
      sql`
        insert into audit_export_cursors as done (name, organization_id, sequence)
        select ${name}, given.organization_id, given.sequence from ${given}
        on conflict (name, organization_id) do update set sequence = excluded.sequence
        where done.sequence < excluded.sequence`,
    ),
  );
  await tx.query(sql`
    update audit_exports set written_at = ${at}, failing_since = null, error = null
    where name = ${name}`);
}

export async function noteFailure(
  tx: Tx,
  name: string,
  { at, error }: { at: Date; error: string },
): Promise<void> {
  await tx.query(sql`
    update audit_exports set failing_since = coalesce(failing_since, ${at}), error = ${error}
    where name = ${name}`);
}

export interface ExportState {
  /** Undefined fields of one that never began. */
  writtenAt: Date | null;
  failingSince: Date | null;
  error: string | null;
  /** That are not written yet, and when the oldest of them happened. */
  waiting: number;
  oldestAt: Date | null;
}

/** Reads one event of each organization that is behind. */
export async function readExportState(on: Queryable, name: string): Promise<ExportState> {
  const [row] = await on.query<ExportState>(
    preparedAs(
      "audit_export_state",
      sql`
        with behind as (
          select head.organization_id, head.seq - coalesce(done.sequence, 0) as waiting,
            (select next.at from audit_events next
              where next.organization_id = head.organization_id and next.seq is not null
                and next.seq > coalesce(done.sequence, 0)
              order by next.seq limit 1) as at
          from audit_heads head left join audit_export_cursors done
            on done.name = ${name} and done.organization_id = head.organization_id
          where head.seq > coalesce(done.sequence, 0)
        )
        select export.written_at as "writtenAt", export.failing_since as "failingSince", export.error,
          (select coalesce(sum(behind.waiting), 0)::bigint from behind) as waiting,
          (select min(behind.at) from behind) as "oldestAt"
        from (select) as one left join audit_exports export on export.name = ${name}`,
    ),
  );
  return row ?? { writtenAt: null, failingSince: null, error: null, waiting: 0, oldestAt: null };
}

// Statements of the look for lost bytes, over all organizations: the operator's.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";

export interface AnySegment {
  batchId: string;
  segment: number;
  bytes: number;
}

export const listSegments = (
  on: Queryable,
  after: Pick<AnySegment, "batchId" | "segment">,
  rows: number,
): Promise<AnySegment[]> =>
  on.query<AnySegment>(sql`
    select batch_id as "batchId", segment, bytes from batch_segments
    where (batch_id, segment) > (${after.batchId}, ${after.segment})
    order by batch_id, segment limit ${rows}`);

export const listOpen = (on: Queryable, after: string, rows: number): Promise<{ id: string }[]> =>
  on.query<{ id: string }>(sql`
    select id from batches where state <> 'ended' and id > ${after} order by id limit ${rows}`);

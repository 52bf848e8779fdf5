// Statements of the look for lost bytes, over all organizations: the operator's.
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface StoredContent {
  organizationId: string;
  blobId: string;
  files: number;
}

export const listContents = (
  on: Queryable,
  after: string,
  rows: number,
): Promise<StoredContent[]> =>
  on.query<StoredContent>(sql`
    select organization_id as "organizationId", blob_id as "blobId", files
    from file_contents where blob_id > ${after} order by blob_id limit ${rows}`);

// Statements of admission beside those of the pools: what a spend limit refused.
import type { Tx } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { SpendScope } from "../queries.ts";

/** Rule LIM24. Once a minute is enough. */
export async function noteRefusal(
  tx: Tx,
  { organizationId, holderId, periodKey }: SpendScope,
  { limitNano, at }: { limitNano: bigint; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into spend_refusals as known
      (organization_id, holder_id, period_key, limit_nano, refused_at)
    values (${organizationId}, ${holderId}, ${periodKey}, ${String(limitNano)}::bigint, ${at})
    on conflict (organization_id, holder_id, period_key)
    do update set limit_nano = excluded.limit_nano, refused_at = excluded.refused_at
      where known.limit_nano <> excluded.limit_nano
        or known.refused_at < excluded.refused_at - interval '1 minute'`);
}

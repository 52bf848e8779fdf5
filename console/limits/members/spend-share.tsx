// What is spent of a limit, in words and as a bar.
import type { ReactNode } from "react";
import type { SpendSummary } from "../../kit/server/api.ts";
import { percent, unitsText } from "../../kit/value/money.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Bar } from "../../kit/value/bar.tsx";

export function SpendShare({
  summary: { amount, period_to_date_spend: spent },
  note,
}: {
  summary: Pick<SpendSummary, "amount" | "period_to_date_spend">;
  /** Where the limit comes from. */
  note?: ReactNode;
}) {
  const limit = amount === null ? undefined : Number(amount);
  const share =
    limit === undefined ? undefined : limit === 0 ? 1 : Math.min(1, Number(spent) / limit);
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm md:min-w-32">
      <span className="flex flex-wrap items-center gap-x-2">
        {amount === null || share === undefined ? (
          `${unitsText(spent)} spent`
        ) : (
          <span>
            {unitsText(spent)} of {unitsText(amount)}{" "}
            <span className="text-soft">({percent(share)})</span>
          </span>
        )}
        {share === 1 && <Badge tone="bad">Reached</Badge>}
      </span>
      {share !== undefined && <Bar share={share} full={share === 1} />}
      {note !== undefined && <span className="text-soft">{note}</span>}
    </div>
  );
}

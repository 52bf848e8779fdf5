// Amounts as they stand in pages, and what is gone of a limit: in words, and as a bar.
import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { Bar } from "./bar.tsx";
import {
  amountText,
  dollarsOf,
  goneText,
  limitTone,
  placesOf,
  shareOf,
  type LimitTone,
} from "./money.ts";

export function Money({
  dollars,
  places = 2,
}: {
  dollars: number;
  /** The most decimals of those that stand under each other: so do the points, then. */
  places?: number;
}) {
  const room = placesOf(dollars) < places ? "md:pr-[4ch]" : "";
  return <span className={`tabular-nums ${room}`}>{amountText(dollars)}</span>;
}

/** Cents as the server says them, with the name of the currency: `$0.001235 USD`. */
export const Amount = ({ hundredths, currency }: { hundredths: string; currency: string }) => (
  <span className="whitespace-nowrap">
    <Money dollars={dollarsOf(hundredths)} />{" "}
    <span className="text-sm font-normal text-soft">{currency}</span>
  </span>
);

/** What tells of a limit in the colour of what is gone of it. */
export const toneClass: Record<LimitTone, string> = {
  accent: "text-soft",
  warn: "text-warn",
  bad: "text-bad",
};

/** How much of a limit is spent. Amounts are those of the server, in hundredths. */
export function SpentOf({
  spent,
  limit,
  reserved = "0",
  note,
  without,
  hasLimitBeside = false,
}: {
  spent: string;
  limit: string | null;
  /** The most that requests under way may cost. */
  reserved?: string;
  /** Where the limit comes from. */
  note?: ReactNode;
  /** Said where there is no limit. */
  without?: string;
  /** The amount of the limit stands in a column of its own. */
  hasLimitBeside?: boolean;
}) {
  const whole = limit === null ? null : Number(limit);
  const share = shareOf(Number(spent), whole);
  // What is reserved is refused to others as if it were spent.
  const gone = Number(spent) + Number(reserved);
  const taken = shareOf(gone, whole);
  const tone = limitTone(taken);
  const isReserved = Number(reserved) > 0;
  const inWords = whole === null ? undefined : goneText(gone, whole);
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm md:min-w-32">
      <span className="flex flex-wrap items-center gap-x-2">
        <span>
          <Money dollars={dollarsOf(spent)} />
          {limit === null || hasLimitBeside ? (
            " spent"
          ) : (
            <>
              {" of "}
              <Money dollars={dollarsOf(limit)} />
            </>
          )}
          {limit === null && <span className="text-soft">{without}</span>}
          {isReserved && (
            <span
              className="text-soft"
              title="The most that requests under way may cost; what they do not use is free again."
            >
              {" and "}
              <Money dollars={dollarsOf(reserved)} /> reserved
            </span>
          )}
          {/* Of both: so the colour is. */}
          {inWords !== undefined && (
            <span className={toneClass[tone]}>
              {" "}
              ({inWords}
              {isReserved && " together"})
            </span>
          )}
        </span>
        {taken === 1 && <Badge tone="bad">Reached</Badge>}
      </span>
      {share !== undefined && taken !== undefined && (
        <Bar share={share} more={taken - share} tone={tone} />
      )}
      {note !== undefined && <span className="text-soft">{note}</span>}
    </div>
  );
}

// Who spends most: models, keys and people, of the last whole day, of the last seven, or of the month so far.
import { Tabs } from "@base-ui/react/tabs";
import { Link } from "@tanstack/react-router";
import { Section } from "../kit/page/page-header.tsx";
import { Tab } from "../kit/page/tab.tsx";
import { Amount } from "../kit/value/money.tsx";
import { searchOfParty, type Party } from "./links.ts";
import type { Overview, Period } from "./queries.ts";

type Top = NonNullable<Overview["top"]>;

const names: Record<Period, string> = {
  yesterday: "Yesterday",
  week: "Last 7 days",
  month: "This month",
};
const parties: Record<Party, string> = { models: "Models", keys: "Keys", people: "People" };

const isPeriod = (text: unknown): text is Period => typeof text === "string" && text in names;
export const periodOf = (text: string | undefined): Period => (isPeriod(text) ? text : "yesterday");

export function TopSpenders({
  top,
  period,
  setPeriod,
}: {
  top: Top;
  period: Period;
  setPeriod(period: Period): void;
}) {
  return (
    <Section
      title="Who spends most"
      note={
        <>
          By days of UTC.{" "}
          <Link to="/usage" className="text-accent underline underline-offset-2">
            Usage &amp; cost
          </Link>
        </>
      }
    >
      <Tabs.Root
        value={period}
        onValueChange={(next: unknown) => {
          if (isPeriod(next)) setPeriod(next);
        }}
      >
        <Tabs.List aria-label="Of which time" className="mb-3 flex flex-wrap gap-1">
          {Object.entries(names).map(([value, name]) => (
            <Tab key={value} value={value}>
              {name}
            </Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={period} className="grid gap-4 md:grid-cols-3">
          {(["models", "keys", "people"] as const).map((party) => (
            <Spenders key={party} party={party} top={top} />
          ))}
        </Tabs.Panel>
      </Tabs.Root>
    </Section>
  );
}

function Spenders({ party, top }: { party: Party; top: Top }) {
  const rows = top[party];
  return (
    <section aria-label={parties[party]} className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium text-soft">{parties[party]}</h3>
      {rows.length === 0 ? (
        <p className="text-soft">Nothing was spent.</p>
      ) : (
        <ol className="rounded-lg border border-line bg-surface">
          {rows.map(({ id, name, amount }) => (
            <li
              key={id}
              className="flex items-baseline gap-3 border-line px-4 py-2 not-last:border-b"
            >
              <Link
                to="/requests"
                search={searchOfParty(party, id, top)}
                className="min-w-0 flex-1 text-accent underline underline-offset-2 wrap-anywhere"
              >
                {name}
              </Link>
              <Amount hundredths={amount} currency={top.currency} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

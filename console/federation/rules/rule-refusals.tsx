// The newest tokens that a rule refused, with both sides of what did not fit.
import { timeColumn } from "../../kit/list/columns.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { useWholeList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { federationQueries, type Refusal, type Rule } from "../federation.ts";

export function RuleRefusals({ rule }: { rule: Rule }) {
  return (
    <Section
      title="Refused lately"
      note="The workload hears which check failed; both sides of it stand here alone."
    >
      <ListView
        label="Refused"
        list={useWholeList(federationQueries.refusals(rule.id))}
        columns={columns}
        empty={{ children: "Nothing was refused." }}
      />
    </Section>
  );
}

const columns: Column<Refusal>[] = [
  {
    title: "Why",
    heads: true,
    className: "md:w-1/2",
    cell: ({ sentence }) => <span className="wrap-anywhere">{sentence}</span>,
  },
  {
    title: "Subject",
    cell: ({ subject }) =>
      subject === null ? (
        <span className="text-soft">Not known</span>
      ) : (
        <code className="font-mono text-sm break-all">{subject}</code>
      ),
  },
  { title: "From", cell: ({ address }) => address },
  timeColumn("When", ({ at }) => at),
];

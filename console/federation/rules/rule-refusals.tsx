// The newest tokens that a rule refused, with both sides of what did not fit.
import { useQuery } from "@tanstack/react-query";
import { federationQueries, type Refusal, type Rule } from "../federation.ts";
import { Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function RuleRefusals({ rule }: { rule: Rule }) {
  const { data, error, refetch } = useQuery(federationQueries.refusals(rule.id));
  return (
    <Section
      title="Refused lately"
      note="The workload hears which check failed; both sides of it stand here alone."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={2} />}
      {data?.data.length === 0 && <p className="text-soft">Nothing was refused.</p>}
      {data !== undefined && data.data.length > 0 && (
        <Table label="Refused" columns={columns} rows={data.data} keyOf={({ id }) => id} />
      )}
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
  { title: "When", cell: ({ at }) => <Time at={at} /> },
];

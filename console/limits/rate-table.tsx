// Rate limits for each group of models: what holds, how much of it is used now, and who said so.
import type { Limiter, RateLimit } from "../kit/server/api.ts";
import { limiterWords, sourceWords } from "./limits.ts";
import { Bar } from "../kit/value/bar.tsx";
import { Button } from "../kit/page/button.tsx";
import { Table, type Column } from "../kit/list/table.tsx";

export function RateTable({
  rates,
  onChange,
}: {
  rates: RateLimit[];
  onChange: ((rate: RateLimit) => void) | undefined;
}) {
  const columns: Column<RateLimit>[] = [
    { title: "Models", heads: true, cell: (rate) => <Group rate={rate} /> },
    ...Object.entries(limiterWords).map(([type, title]): Column<RateLimit> => ({
      title,
      cell: (rate) => <Rate rate={rate} type={type} />,
    })),
  ];
  if (onChange !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      foot: true,
      className: "md:text-right",
      cell: (rate) => (
        <Button
          aria-label={`Change the rates of ${rate.group.display_name}`}
          onClick={() => onChange(rate)}
        >
          Change
        </Button>
      ),
    });
  return (
    <Table label="Rate limits" columns={columns} rows={rates} keyOf={({ group }) => group.id} />
  );
}

function Group({ rate: { group, models } }: { rate: RateLimit }) {
  const isOwn = models.length === 1 && models[0] === group.id;
  return (
    <>
      <span className="font-medium wrap-anywhere">{group.display_name}</span>
      {!isOwn && (
        <span className="block text-sm text-soft wrap-anywhere" title={models.join("\n")}>
          {models.length === 0 ? "No model is in this group" : models.slice(0, 3).join(", ")}
          {models.length > 3 && ` and ${models.length - 3} more`}
        </span>
      )}
    </>
  );
}

function Rate({ rate, type }: { rate: RateLimit; type: string }) {
  const limit = rate.limits.find((each) => each.type === type);
  if (limit === undefined) return null;
  const { used, source } = limit;
  const value = heldBy(limit);
  const share = value === 0 ? 1 : Math.min(1, used / value);
  const isOver = limit.org_limit !== null && limit.value > limit.org_limit;
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm md:min-w-32">
      <span>
        {used.toLocaleString("en")} of {value.toLocaleString("en")}
      </span>
      <Bar share={share} full={share >= 1} />
      <span className="text-soft">
        {isOver && source.type === "workspace"
          ? `the organization's; ${limit.value.toLocaleString("en")} is set`
          : sourceWords(limit, rate.workspace_id !== null)}
      </span>
    </div>
  );
}

/** A workspace's limit holds beside the organization's, so the smaller one is felt. */
const heldBy = ({ value, org_limit: beside }: Limiter): number =>
  beside === null ? value : Math.min(value, beside);

// Spend limits: the organization's and those of its workspaces, with what is gone this month.
import type { SpendLimit } from "../kit/server/api.ts";
import { shareOf } from "./limits.ts";
import { percent, unitsText } from "../kit/value/money.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Bar } from "../kit/value/bar.tsx";
import { Button } from "../kit/page/button.tsx";
import { Table, type Column } from "../kit/list/table.tsx";

export interface SpendPlace {
  limit: SpendLimit;
  name: string;
}

interface Acts {
  onSet: (place: SpendPlace) => void;
  onRemove: (place: SpendPlace) => void;
}

export function SpendTable({ places, acts }: { places: SpendPlace[]; acts: Acts | undefined }) {
  const columns: Column<SpendPlace>[] = [
    {
      title: "Where",
      heads: true,
      cell: ({ name, limit: { scope } }) => (
        <>
          <span className="font-medium wrap-anywhere">{name}</span>
          <span className="block text-sm text-soft">
            {scope.type === "organization" ? "All workspaces together" : "Workspace"}
          </span>
        </>
      ),
    },
    { title: "This month", cell: ({ limit }) => <Gone limit={limit} /> },
    {
      title: "Limit",
      cell: ({ limit: { amount } }) =>
        amount === null ? <span className="text-soft">None</span> : unitsText(amount),
    },
  ];
  if (acts !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      foot: true,
      className: "md:text-right",
      cell: (place) => <PlaceActs place={place} acts={acts} />,
    });
  return (
    <Table
      label="Spend limits"
      columns={columns}
      rows={places}
      keyOf={({ limit: { scope } }) =>
        scope.type === "organization" ? "organization" : scope.workspace_id
      }
    />
  );
}

function Gone({ limit }: { limit: SpendLimit }) {
  const { period_to_date_spend: spent, reserved } = limit;
  const share = shareOf(limit);
  const isFull = share !== undefined && share.spent + share.reserved >= 1;
  return (
    <div className="grid min-w-0 flex-1 gap-1.5 md:min-w-64">
      <span className="flex flex-wrap items-center gap-x-2">
        <span>
          {unitsText(spent)} spent
          {share !== undefined && ` (${percent(share.spent)})`}
        </span>
        {Number(reserved) > 0 && (
          <span
            className="text-soft"
            title="The most that requests under way may cost; what they do not use is free again."
          >
            and {unitsText(reserved)} reserved
          </span>
        )}
        {isFull && <Badge tone="bad">Reached</Badge>}
      </span>
      {share !== undefined && <Bar share={share.spent} more={share.reserved} full={isFull} />}
    </div>
  );
}

function PlaceActs({ place, acts }: { place: SpendPlace; acts: Acts }) {
  const { name, limit } = place;
  const isSet = limit.amount !== null;
  return (
    <span className="inline-flex flex-wrap gap-1.5 md:justify-end">
      <Button
        aria-label={isSet ? `Change the spend limit of ${name}` : `Set a limit for ${name}`}
        onClick={() => acts.onSet(place)}
      >
        {isSet ? "Change" : "Set a limit"}
      </Button>
      {isSet && (
        <Button
          aria-label={`Remove the spend limit of ${name}`}
          onClick={() => acts.onRemove(place)}
        >
          Remove
        </Button>
      )}
    </span>
  );
}

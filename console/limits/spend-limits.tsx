// Spend limits: the organization's and those of its workspaces, with what is gone this month.
import { useQuery } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { moneyColumn, nameColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Section } from "../kit/page/page-header.tsx";
import type { SpendLimit } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { dollarsOf } from "../kit/value/money.ts";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { SpentOf } from "../kit/value/money.tsx";
import { limitQueries } from "./queries.ts";
import { removeSpendLimit, setSpendLimit } from "./spend-form.tsx";

export interface SpendPlace {
  limit: SpendLimit;
  name: string;
}

const monthWords = new Intl.DateTimeFormat("en", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

export function SpendLimits() {
  const { organization, permissions } = useMe();
  const month = useQuery(limitQueries.spend).data?.month;
  const list = useWholeList(limitQueries.spend);
  const places = list.rows.map((limit): SpendPlace => ({
    limit,
    name: limit.workspace_name ?? organization.name,
  }));
  const said = month && monthWords.format(new Date(`${month}-01T00:00:00Z`));
  return (
    <Section title="Spend" note={`${said ?? "This month"} (UTC), at the models' prices.`}>
      <ListView
        label="Spend limits"
        list={{ ...list, rows: places }}
        columns={spendColumns(places)}
        acts={permissions.includes("limits:write") ? actsOf : undefined}
        nameOf={({ name }) => `the spend limit of ${name}`}
        keyOf={({ limit: { scope } }) =>
          scope.type === "organization" ? "organization" : scope.workspace_id
        }
        empty={{}}
      />
    </Section>
  );
}

export const spendColumns = (places: readonly SpendPlace[]): Column<SpendPlace>[] => [
  nameColumn<SpendPlace>({
    title: "Where",
    name: ({ name, limit: { scope } }) =>
      scope.type === "workspace" ? <ObjectLink id={scope.workspace_id}>{name}</ObjectLink> : name,
    below: ({ limit: { scope } }) =>
      scope.type === "organization" ? "All workspaces together" : "Workspace",
  }),
  {
    title: "This month",
    className: "md:min-w-72",
    cell: ({ limit: { period_to_date_spend: spent, reserved, amount } }) => (
      <SpentOf spent={spent} limit={amount} reserved={reserved} hasLimitBeside />
    ),
  },
  moneyColumn(
    "Limit",
    ({ limit: { amount } }) => (amount === null ? null : dollarsOf(amount)),
    places,
  ),
];

function actsOf(place: SpendPlace): MenuAct[] {
  const isSet = place.limit.amount !== null;
  const set = () => setSpendLimit(place);
  return [
    { label: isSet ? "Change" : "Set a limit", icon: Pencil, run: set },
    {
      label: "Remove",
      icon: Trash2,
      isBad: true,
      when: isSet,
      run: () => removeSpendLimit(place),
    },
  ];
}

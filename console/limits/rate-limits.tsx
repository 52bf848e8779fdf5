// Rate limits for each group of models: what holds, how much of it is used now, and who said so.
import { FilterSelect } from "../kit/form/select.tsx";
import { buttonColumn, nameColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import type { RateLimit } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Bar } from "../kit/value/bar.tsx";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { limitTone, shareOf } from "../kit/value/money.ts";
import { heldBy, limiterWords, sourceWords } from "./limits.ts";
import { limitQueries } from "./queries.ts";
import { changeRates } from "./rate-form.tsx";

export function RateLimits() {
  const { organization, workspaces, permissions } = useMe();
  const [search, change] = useSearchState();
  const workspace = workspaces.find(({ id }) => id === search.workspace);
  const acts = buttonColumn<RateLimit>(
    ({ group }) => `the rates of ${group.display_name}`,
    (rate) => [
      { label: "Change", run: () => changeRates(rate, workspace?.name ?? organization.name) },
    ],
  );
  return (
    <Section
      title="Rates"
      note="A minute, for each group of models; used is what began in the last minute."
      actions={
        <FilterSelect
          label="Whose rates"
          value={workspace?.id ?? ""}
          onChange={(chosen) => change({ workspace: chosen === "" ? undefined : chosen })}
          choices={[
            { value: "", label: "The organization's" },
            ...workspaces.map(({ id, name }) => ({ value: id, label: `Workspace ${name}` })),
          ]}
        />
      }
    >
      <ListView
        label="Rate limits"
        list={useWholeList(limitQueries.rates(workspace?.id))}
        columns={permissions.includes("limits:write") ? [...rateColumns, acts] : rateColumns}
        keyOf={({ group }) => group.id}
        empty={{}}
      />
    </Section>
  );
}

export const rateColumns: Column<RateLimit>[] = [
  nameColumn<RateLimit>({
    title: "Models",
    className: "",
    name: ({ group, models }) =>
      models.length === 1 ? (
        <ObjectLink id={models[0] ?? ""} kind="model">
          {group.display_name}
        </ObjectLink>
      ) : (
        group.display_name
      ),
    below: (rate) => <ModelsOf rate={rate} />,
  }),
  ...Object.entries(limiterWords).map(([type, title]): Column<RateLimit> => ({
    title,
    cell: (rate) => <Rate rate={rate} type={type} />,
  })),
];

function ModelsOf({ rate: { group, models } }: { rate: RateLimit }) {
  if (models.length === 1 && models[0] === group.id) return null;
  return (
    <span title={models.join("\n")}>
      {models.length === 0 ? "No model is in this group" : models.slice(0, 3).join(", ")}
      {models.length > 3 && ` and ${models.length - 3} more`}
    </span>
  );
}

function Rate({ rate, type }: { rate: RateLimit; type: string }) {
  const limit = rate.limits.find((each) => each.type === type);
  if (limit === undefined) return null;
  const { used, source } = limit;
  const value = heldBy(limit);
  const share = shareOf(used, value) ?? 0;
  const isOver = limit.org_limit !== null && limit.value > limit.org_limit;
  return (
    <div className="grid min-w-0 flex-1 gap-1 text-sm tabular-nums md:min-w-32">
      <span>
        {used.toLocaleString("en")} of {value.toLocaleString("en")}
      </span>
      <Bar share={share} tone={limitTone(share)} />
      <span className="text-soft">
        {isOver && source.type === "workspace"
          ? `the organization's; ${limit.value.toLocaleString("en")} is set`
          : sourceWords(limit, rate.workspace_id !== null)}
      </span>
    </div>
  );
}

// Limits: how much may be spent in a month and asked in a minute, and how much of that is gone.
import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { RateForm } from "./rate-form.tsx";
import { RemoveSpendLimit, SpendForm } from "./spend-form.tsx";
import type { RateLimit } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { FilterSelect } from "../kit/form/field.tsx";
import { IncreaseRequests, WaitingBadge } from "./members/increase-requests.tsx";
import { MemberLimits } from "./members/member-limits.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RateTable } from "./rate-table.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { SpendTable, type SpendPlace } from "./spend-table.tsx";
import { Tab } from "../kit/page/tab.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { limitQueries } from "./queries.ts";

export function Page() {
  // Only there members have limits of their own.
  const hasMembers = useMe().organization.type === "enterprise";
  return (
    <>
      <PageHeader title="Limits">
        How much may be spent in a month and asked in a minute, and how much of that is gone.
      </PageHeader>
      {hasMembers ? <Everybody /> : <Shared />}
    </>
  );
}

const tabs = ["members", "requests"];

function Everybody() {
  const [search, change] = useSearchState();
  return (
    <Tabs.Root
      value={tabs.find((tab) => tab === search.tab) ?? "shared"}
      onValueChange={(tab: string) =>
        change({ q: undefined, workspace: undefined, tab: tab === "shared" ? undefined : tab })
      }
    >
      <Tabs.List className="mb-4 flex flex-wrap gap-1">
        <Tab value="shared">Organization</Tab>
        <Tab value="members">Members</Tab>
        <Tab value="requests">
          Requests
          <WaitingBadge />
        </Tab>
      </Tabs.List>
      <Tabs.Panel value="shared">
        <Shared />
      </Tabs.Panel>
      <Tabs.Panel value="members">
        <MemberLimits />
      </Tabs.Panel>
      <Tabs.Panel value="requests">
        <IncreaseRequests />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

function Shared() {
  const mayWrite = useMe().permissions.includes("limits:write");
  return (
    <>
      <Spend mayWrite={mayWrite} />
      <Rates mayWrite={mayWrite} />
    </>
  );
}

const monthWords = new Intl.DateTimeFormat("en", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

function Spend({ mayWrite }: { mayWrite: boolean }) {
  const { organization } = useMe();
  const { data, error, refetch } = useQuery(limitQueries.spend);
  const [setting, setSetting] = useState<SpendPlace>();
  const [removing, setRemoving] = useState<SpendPlace>();
  const places = (data?.data ?? []).map((limit): SpendPlace => ({
    limit,
    name: limit.workspace_name ?? organization.name,
  }));
  const month = data && monthWords.format(new Date(`${data.month}-01T00:00:00Z`));
  return (
    <Section
      title="Spend"
      note={`${month ?? "This month"} (UTC), in the unit of the models' prices.`}
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} />}
      {places.length > 0 && (
        <SpendTable
          places={places}
          acts={mayWrite ? { onSet: setSetting, onRemove: setRemoving } : undefined}
        />
      )}
      <SpendForm place={setting} onClose={() => setSetting(undefined)} />
      <RemoveSpendLimit place={removing} onClose={() => setRemoving(undefined)} />
    </Section>
  );
}

function Rates({ mayWrite }: { mayWrite: boolean }) {
  const { organization, workspaces } = useMe();
  const [search, change] = useSearchState();
  const workspace = workspaces.find(({ id }) => id === search.workspace);
  const { data, error, refetch } = useQuery(limitQueries.rates(workspace?.id));
  const [changing, setChanging] = useState<RateLimit>();
  return (
    <Section
      title="Rates"
      note="A minute, for each group of models; used is what began in the last minute."
      actions={
        <FilterSelect
          label="Whose rates"
          value={workspace?.id ?? ""}
          onChange={({ target }) =>
            change({ workspace: target.value === "" ? undefined : target.value })
          }
        >
          <option value="">The organization's</option>
          {workspaces.map(({ id, name }) => (
            <option key={id} value={id}>
              Workspace {name}
            </option>
          ))}
        </FilterSelect>
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={4} />}
      {data !== undefined && (
        <RateTable rates={data.data} onChange={mayWrite ? setChanging : undefined} />
      )}
      <RateForm
        rate={changing}
        name={workspace?.name ?? organization.name}
        onClose={() => setChanging(undefined)}
      />
    </Section>
  );
}

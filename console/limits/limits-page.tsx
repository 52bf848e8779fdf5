// Limits: how much may be spent in a month and asked in a minute, and how much of that is gone.
import { Tabs } from "@base-ui/react/tabs";
import { PageHeader } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { Tab } from "../kit/page/tab.tsx";
import { useMe } from "../kit/server/queries.ts";
import { IncreaseRequests, WaitingBadge } from "./members/increase-requests.tsx";
import { MemberLimits } from "./members/member-limits.tsx";
import { RateLimits } from "./rate-limits.tsx";
import { SpendLimits } from "./spend-limits.tsx";

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

const Shared = () => (
  <>
    <SpendLimits />
    <RateLimits />
  </>
);

// Members: who belongs to the organization, and who is invited.
import { Tabs } from "@base-ui/react/tabs";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { InviteSomebody } from "./invites/invite.tsx";
import { MemberActs, type MemberAct } from "./member-acts.tsx";
import type { Role } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { memberQueries } from "./member-queries.ts";
import { usePaging } from "../kit/list/paging.ts";
import { useMe } from "../kit/server/queries.ts";
import { roleNames } from "./roles.ts";
import { useSearchState, type Search } from "../kit/page/search.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { FilterSelect, SearchInput } from "../kit/form/field.tsx";
import { MemberTable } from "./member-table.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { Pager } from "../kit/list/pager.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Tab } from "../kit/page/tab.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { InviteList } from "./invites/invite-list.tsx";

type Change = (patch: Search) => void;

export function Page() {
  const [search, change] = useSearchState();
  const { permissions } = useMe();
  const { data: acts } = useQuery(memberQueries.acts);
  const roles = acts?.invite_roles ?? [];
  const invite = () => change({ new: "invite" });
  const mayInvite = roles.length > 0;
  useMemberCommands(mayInvite ? invite : undefined);
  return (
    <>
      <PageHeader
        title="Members"
        actions={
          mayInvite && (
            <Button look="primary" onClick={invite} title="N">
              <UserPlus size={16} aria-hidden />
              Invite
            </Button>
          )
        }
      >
        {acts?.invites_closed ??
          "Who belongs to this organization, and what each may do by their role."}
      </PageHeader>
      <Tabs.Root
        value={search.tab === "invites" ? "invites" : "members"}
        onValueChange={(tab: string) =>
          change({ ...none, tab: tab === "invites" ? tab : undefined })
        }
      >
        <Tabs.List className="mb-4 flex gap-1">
          <Tab value="members">Members</Tab>
          <Tab value="invites">Invites</Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MemberList search={search} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="invites">
          <InviteList
            search={search}
            change={change}
            hasMail={acts?.mail === true}
            mayWrite={permissions.includes("members:write")}
            invite={mayInvite ? invite : undefined}
          />
        </Tabs.Panel>
      </Tabs.Root>
      <InviteSomebody
        roles={roles}
        hasMail={acts?.mail === true}
        open={search.new === "invite" && mayInvite}
        onClose={() => change({ new: undefined })}
      />
    </>
  );
}

const none = { q: undefined, role: undefined, status: undefined };

function useMemberCommands(invite: (() => void) | undefined): void {
  useCommands([
    {
      id: "members:search",
      label: "Search the list",
      group: "This page",
      keys: "/",
      inPalette: false,
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
    ...(invite === undefined
      ? []
      : [
          {
            id: "members:invite",
            label: "Invite somebody",
            group: "This page" as const,
            keys: "n",
            run: invite,
          },
        ]),
  ]);
}

const value = (event: { target: { value: string } }) =>
  event.target.value === "" ? undefined : event.target.value;

const isRole = (text: string | undefined): text is Role =>
  text !== undefined && Object.hasOwn(roleNames, text);

function MemberList({ search, change }: { search: Search; change: Change }) {
  const { user, organization, permissions } = useMe();
  const [act, setAct] = useState<MemberAct>();
  const { q, role } = search;
  const filter = { ...(q !== undefined && { q }), ...(isRole(role) && { role }) };
  const paging = usePaging(JSON.stringify(filter));
  const list = useQuery({
    ...memberQueries.members({
      ...filter,
      ...(paging.cursor !== undefined && { page: paging.cursor }),
    }),
    placeholderData: keepPreviousData,
  });
  const seats = useQuery({
    ...memberQueries.seats,
    enabled: permissions.includes("seats:read"),
  });
  const rows = list.data?.data ?? [];
  return (
    <>
      <search aria-label="Filter members" className="mb-4 flex flex-wrap gap-2">
        <SearchInput
          label="E-mail or name begins with"
          value={q ?? ""}
          onChange={(event) => change({ q: value(event) })}
        />
        <FilterSelect
          label="Role"
          value={role ?? ""}
          onChange={(event) => change({ role: value(event) })}
        >
          <option value="">Any role</option>
          {rolesOf[organization.type].map((each) => (
            <option key={each} value={each}>
              {roleNames[each]}
            </option>
          ))}
        </FilterSelect>
      </search>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <MemberTable
          rows={rows}
          you={user.id}
          hasSeats={(seats.data?.tiers.length ?? 0) > 0}
          maySeat={permissions.includes("seats:write")}
          onAct={setAct}
        />
      )}
      {list.data !== undefined && rows.length === 0 && (
        <EmptyState
          icon={Users}
          title="Nobody fits these filters"
          action={<Button onClick={() => change(none)}>Clear the filters</Button>}
        >
          The search compares how an e-mail or a name begins.
        </EmptyState>
      )}
      <Pager
        paging={paging}
        next={list.data?.next_page ?? null}
        label={["Newer members", "Older members"]}
      />
      <MemberActs act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

const ordinary: Role[] = ["user", "claude_code_user", "developer", "billing", "admin"];
const owners: Role[] = ["owner", "primary_owner"];
const rolesOf = {
  platform: [...ordinary, ...owners],
  platform_cloud: [...ordinary, ...owners],
  enterprise: ["user", "managed", "membership_admin", ...owners] satisfies Role[],
};

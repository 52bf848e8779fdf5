// Who belongs to the organization, with what the viewer may do to each.
import { useQuery } from "@tanstack/react-query";
import { Users } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList, type List } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useSearchState } from "../kit/page/search.ts";
import type { Me, Member, Role } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { memberActs } from "./member-acts.tsx";
import { memberQueries } from "./member-queries.ts";
import { RoleBadge, roleNames } from "./roles.tsx";

/** The viewer is always a member: only filters leave an empty list. */
const nobody = {
  title: "Nobody fits these filters",
  children: "The search compares how an e-mail or a name begins.",
};

export function MemberList() {
  const me = useMe();
  const seats = useQuery({
    ...memberQueries.seats,
    enabled: me.permissions.includes("seats:read"),
  });
  const hasSeats = (seats.data?.data.length ?? 0) > 0;
  const maySeat = hasSeats && me.permissions.includes("seats:write");
  return (
    <ListView
      label="Members"
      noun="member"
      icon={Users}
      list={useMembers()}
      columns={columnsOf(me.user.id, hasSeats)}
      nameOf={({ name }) => name}
      acts={(member) => memberActs(member, maySeat)}
      filters={filtersOf(me)}
      nothingFits={nobody}
      empty={nobody}
    />
  );
}

function useMembers(): List<Member> {
  const [{ q, role }] = useSearchState();
  return usePagedList(
    memberQueries.members({ ...(q !== undefined && { q }), ...(isRole(role) && { role }) }),
  );
}

const isRole = (text: string | undefined): text is Role =>
  text !== undefined && Object.hasOwn(roleNames, text);

const columnsOf = (you: string, hasSeats: boolean): Column<Member>[] => [
  nameColumn<Member>({
    name: ({ id, name }) => (
      <span className="line-clamp-2">
        {name}
        {id === you && <span className="font-normal text-soft"> (you)</span>}
      </span>
    ),
    opens: ({ id }) => ({ to: "/members/$id", params: { id } }),
    below: ({ email }) => email,
  }),
  { title: "Role", cell: ({ role }) => <RoleBadge role={role} /> },
  ...(hasSeats ? [{ title: "Seat", cell: ({ seat_tier: tier }: Member) => tier ?? "None" }] : []),
  timeColumn("Joined", ({ added_at: at }) => at),
];

const ordinary: Role[] = ["user", "claude_code_user", "developer", "billing", "admin"];
const owners: Role[] = ["owner", "primary_owner"];
const rolesOf = {
  platform: [...ordinary, ...owners],
  platform_cloud: [...ordinary, ...owners],
  enterprise: ["user", "managed", "membership_admin", ...owners] satisfies Role[],
};

const filtersOf = ({ organization }: Me): Filter[] => [
  { kind: "search", name: "q", label: "E-mail or name begins with" },
  {
    kind: "choice",
    name: "role",
    label: "Role",
    any: "Any role",
    choices: rolesOf[organization.type].map((value) => ({ value, label: roleNames[value] })),
  },
];

// Groups: the list, and the ways to make and change them.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { UsersRound } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor } from "../kit/page/search.ts";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { asAdministrator } from "../kit/value/snippets.ts";
import { groupActs, newGroup } from "./group-acts.tsx";
import { RoleNames, Source } from "./group-source.tsx";
import { groupQueries, type Group, type Role } from "./groups.ts";

export function Page() {
  const mayWrite = useMe().permissions.includes("groups:write");
  const navigate = useNavigate();
  const url = useServerUrl();
  const roles = useQuery(groupQueries.roles);
  const make = () => newGroup(({ id }) => void navigate({ to: "/groups/$id", params: { id } }));
  useAskedFor({ group: mayWrite ? make : undefined });
  return (
    <ListPage
      title="Groups"
      about="Members of a group have what its roles give, if their own role is managed."
      noun="group"
      icon={UsersRound}
      list={usePagedList(groupQueries.groups)}
      columns={columnsOf(roles.data?.data)}
      nameOf={({ name }) => name}
      acts={mayWrite ? actsInList : undefined}
      create={mayWrite ? { label: "New group", run: make, inPalette: false } : undefined}
      empty={{
        title: "No groups yet",
        children:
          "Put people who need the same things into a group, and give the group roles: from then on whoever joins it has what they need. Identity providers can push groups by SCIM.",
        snippets: asAdministrator(url, "rbac_groups", { name: "Research" }),
      }}
    />
  );
}

/** One that an identity provider pushed says on its own page what may be changed here. */
const actsInList = (group: Group) => (group.source_type === "direct" ? groupActs(group) : []);

const columnsOf = (roles: Role[] | undefined): Column<Group>[] => [
  nameColumn<Group>({
    name: ({ name }) => name,
    opens: ({ id }) => ({ to: "/groups/$id", params: { id } }),
  }),
  { title: "Source", cell: (group) => <Source of={group} /> },
  { title: "Roles", cell: ({ role_ids: ids }) => <RoleNames ids={ids} roles={roles} /> },
  timeColumn("Changed", ({ updated_at: at }) => at),
];

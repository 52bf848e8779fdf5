// The people of a workspace, by name, with what may be done to each.
import { UserPlus, Users } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { useMe } from "../kit/server/queries.ts";
import { RoleName } from "./tags.tsx";
import { addMember, memberActs } from "./workspace-people.tsx";
import { workspaceQueries, type Member } from "./workspaces.ts";

export function WorkspaceMembers({
  workspace,
  mayManage,
}: {
  workspace: string;
  mayManage: boolean;
}) {
  const { user } = useMe();
  const list = usePagedList(workspaceQueries.members(workspace));
  const add = mayManage && (
    <Button onClick={() => addMember(workspace)}>
      <UserPlus size={16} aria-hidden />
      Add a member
    </Button>
  );
  return (
    <Section
      title="Members"
      note="Administrators and owners of the organization work in every workspace and do not stand here."
      actions={list.rows.length > 0 && add}
    >
      <ListView
        label="Members"
        noun="member"
        icon={Users}
        list={list}
        columns={columnsOf(user.id)}
        keyOf={({ user_id: id }) => id}
        nameOf={({ name }) => name}
        acts={mayManage ? memberActs : undefined}
        empty={{
          title: "No members yet",
          action: add,
          children:
            "Only administrators of the organization work here so far. Add the people who should, each with a role that says how far they go.",
        }}
      />
    </Section>
  );
}

const columnsOf = (you: string): Column<Member>[] => [
  nameColumn({
    name: ({ name, user_id: id }) => `${name}${id === you ? " (you)" : ""}`,
    opens: ({ user_id: id }) => ({ to: "/members/$id", params: { id } }),
    below: ({ email }) => email,
  }),
  { title: "Role", cell: ({ workspace_role: role }) => <RoleName role={role} /> },
  timeColumn("Added", ({ added_at: at }) => at),
];

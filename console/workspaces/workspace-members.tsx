// The people of a workspace, by name, with what may be done to each.
import { useInfiniteQuery } from "@tanstack/react-query";
import { UserMinus, UserPen, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import { AddMember, ChangeRole, RemoveMember } from "./workspace-people.tsx";
import { useLast } from "../kit/form/last.ts";
import { useMe } from "../kit/server/queries.ts";
import { workspaceQueries, type Member } from "./workspaces.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Button } from "../kit/page/button.tsx";
import { Dialog } from "../kit/form/dialog.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { RoleName } from "./tags.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

type Act = { kind: "add" } | { kind: "change" | "remove"; member: Member };

export function WorkspaceMembers({
  workspace,
  mayManage,
}: {
  workspace: string;
  mayManage: boolean;
}) {
  const [act, setAct] = useState<Act>();
  const list = useInfiniteQuery(workspaceQueries.members(workspace));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const add = mayManage && (
    <Button onClick={() => setAct({ kind: "add" })}>
      <UserPlus size={16} aria-hidden />
      Add a member
    </Button>
  );
  return (
    <Section
      title="Members"
      note="Administrators and owners of the organization work in every workspace and do not stand here."
      actions={rows.length > 0 && add}
    >
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <Table
          label="Members"
          columns={columns(mayManage ? setAct : undefined)}
          rows={rows}
          keyOf={({ user_id }) => user_id}
        />
      )}
      {list.data !== undefined && rows.length === 0 && (
        <EmptyState icon={Users} title="No members yet" action={add}>
          Only administrators of the organization work here so far. Add the people who should, each
          with a role that says how far they go.
        </EmptyState>
      )}
      {list.hasNextPage && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
      <MemberDialog workspace={workspace} act={act} onClose={() => setAct(undefined)} />
    </Section>
  );
}

function columns(onAct: ((act: Act) => void) | undefined): Column<Member>[] {
  return [
    {
      title: "Name",
      heads: true,
      cell: (member) => <Person of={member} />,
    },
    { title: "Role", cell: ({ workspace_role: role }) => <RoleName role={role} /> },
    { title: "Added", cell: ({ added_at: at }) => <Time at={at} /> },
    ...(onAct === undefined
      ? []
      : [
          {
            title: "Acts",
            bare: true,
            className: "text-right",
            cell: (member: Member) => (
              <ActMenu
                label={`Change ${member.name}`}
                acts={[
                  {
                    label: "Change the role",
                    icon: UserPen,
                    run: () => onAct({ kind: "change", member }),
                  },
                  {
                    label: "Remove",
                    icon: UserMinus,
                    isBad: true,
                    run: () => onAct({ kind: "remove", member }),
                  },
                ]}
              />
            ),
          },
        ]),
  ];
}

function Person({ of }: { of: Member }) {
  const { user } = useMe();
  return (
    <>
      <span className="font-medium wrap-anywhere">
        {of.name}
        {of.user_id === user.id && " (you)"}
      </span>
      <span className="block text-sm text-soft wrap-anywhere">{of.email}</span>
    </>
  );
}

function MemberDialog({
  workspace,
  act,
  onClose,
}: {
  workspace: string;
  act: Act | undefined;
  onClose: () => void;
}) {
  const shown = useLast(act);
  return (
    <Dialog open={act !== undefined} onClose={onClose} title={titleOf(shown)}>
      {act?.kind === "add" && <AddMember workspace={workspace} onClose={onClose} />}
      {shown?.kind === "change" && (
        <ChangeRole key={keyOf(shown.member)} member={shown.member} onClose={onClose} />
      )}
      {shown?.kind === "remove" && <RemoveMember member={shown.member} onClose={onClose} />}
    </Dialog>
  );
}

const keyOf = ({ user_id, workspace_role }: Member) => user_id + workspace_role;

function titleOf(act: Act | undefined): string {
  if (act === undefined) return "";
  if (act.kind === "add") return "Add a member";
  return act.kind === "change" ? `The role of ${act.member.name}` : `Remove ${act.member.name}?`;
}

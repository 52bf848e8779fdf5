// One group: its roles and its members.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, Pencil, Trash2, UserPlus, UsersRound, X } from "lucide-react";
import { useState } from "react";
import { GroupActs, type GroupAct } from "./group-acts.tsx";
import { AddMember, RemoveMember } from "./group-member.tsx";
import { GroupRoles } from "./group-roles.tsx";
import { groupQueries, summaryOf, type GroupMember, type OneGroup } from "./groups.ts";
import { useMe } from "../kit/server/queries.ts";
import { plural, spaced } from "../kit/value/words.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Button, IconButton } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { RoleNames, Source } from "./group-source.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: group, error, refetch } = useQuery(groupQueries.group(id));
  return (
    <>
      <Link
        to="/groups"
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        All groups
      </Link>
      {error !== null && (
        <>
          <PageHeader title="Group" />
          <TroubleBox error={error} retry={() => void refetch()} />
        </>
      )}
      {error === null && group === undefined && <RowsSkeleton />}
      {group !== undefined && <One key={group.id} group={group} />}
    </>
  );
}

function One({ group }: { group: OneGroup }) {
  const [act, setAct] = useState<GroupAct>();
  const navigate = useNavigate();
  const { mayWrite, why } = useMayWrite(group);
  return (
    <>
      <PageHeader
        title={group.name}
        actions={
          mayWrite && (
            <ActMenu
              label={`Change ${group.name}`}
              acts={[
                { label: "Rename", icon: Pencil, run: () => setAct({ kind: "rename", group }) },
                {
                  label: "Delete",
                  icon: Trash2,
                  isBad: true,
                  run: () => setAct({ kind: "delete", group }),
                },
              ]}
            />
          )
        }
      >
        <Source of={group} /> <span className="ml-1">Since </span>
        <Time at={group.created_at} />
      </PageHeader>
      {why !== undefined && (
        <p role="note" className="mb-6 rounded-lg bg-accent-soft p-3 text-accent">
          {why}
        </p>
      )}
      <Roles group={group} />
      <Members group={group} mayWrite={mayWrite} />
      <GroupActs
        act={act}
        onClose={() => setAct(undefined)}
        onDone={(kind) => {
          if (kind === "delete") void navigate({ to: "/groups" });
        }}
      />
    </>
  );
}

/** Whether name and members are changed here by this person, and if not, by whom. */
function useMayWrite(group: OneGroup): { mayWrite: boolean; why: string | undefined } {
  const { permissions } = useMe();
  const { data } = useQuery(groupQueries.roles);
  if (group.controlled_by !== null)
    return {
      mayWrite: false,
      why: `${group.controlled_by} pushes this group: its name and its members are changed there. Which roles it has is set here.`,
    };
  const isOwners = data?.data.some(
    ({ id, grants_owner_access }) => grants_owner_access && group.role_ids?.includes(id) === true,
  );
  const may = permissions.includes("groups:write");
  if (may && isOwners === true && !permissions.includes("roles:write"))
    return {
      mayWrite: false,
      why: "A role of this group gives owner access: owners add and remove its members.",
    };
  return { mayWrite: may, why: undefined };
}

function Roles({ group }: { group: OneGroup }) {
  const [isOpen, setIsOpen] = useState(false);
  const mayGive = useMe().permissions.includes("roles:write") && group.role_ids !== null;
  const { data } = useQuery(groupQueries.roles);
  const held = data?.data.filter(({ id }) => group.role_ids?.includes(id) === true) ?? [];
  return (
    <Section
      title="Roles"
      note="Managed members of this group have what they give, all together."
      actions={mayGive && <Button onClick={() => setIsOpen(true)}>Change roles</Button>}
    >
      {held.length === 0 ? (
        <RoleNames ids={group.role_ids} roles={data?.data} />
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2">
          {held.map((role) => (
            <li key={role.id} className="rounded-lg border border-line bg-surface px-4 py-3">
              <Link
                to="/roles"
                search={{ role: role.id }}
                className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
              >
                {role.display_name}
              </Link>
              <p className="text-sm text-soft">{summaryOf(role.actions)}</p>
            </li>
          ))}
        </ul>
      )}
      <GroupRoles group={group} open={isOpen} onClose={() => setIsOpen(false)} />
    </Section>
  );
}

function Members({ group, mayWrite }: { group: OneGroup; mayWrite: boolean }) {
  const list = useInfiniteQuery(groupQueries.members(group.id));
  const [adds, setAdds] = useState(false);
  const [removed, setRemoved] = useState<GroupMember>();
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const add = mayWrite && (
    <Button look="primary" onClick={() => setAdds(true)}>
      <UserPlus size={16} aria-hidden />
      Add member
    </Button>
  );
  return (
    <Section title="Members" actions={rows.length > 0 && add}>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton rows={3} />}
      {rows.length > 0 && <MemberTable rows={rows} {...(mayWrite && { onRemove: setRemoved })} />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState icon={UsersRound} title="Nobody is in this group" action={add}>
          {group.controlled_by === null
            ? "Whoever is added has at once what the roles of the group give."
            : `${group.controlled_by} adds its members.`}
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "member")}
        {list.hasNextPage && " so far"}
      </p>
      {list.hasNextPage && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
      <AddMember group={group} open={adds} onClose={() => setAdds(false)} />
      <RemoveMember group={group} member={removed} onClose={() => setRemoved(undefined)} />
    </Section>
  );
}

function MemberTable({
  rows,
  onRemove,
}: {
  rows: GroupMember[];
  onRemove?: (member: GroupMember) => void;
}) {
  const columns: Column<GroupMember>[] = [
    {
      title: "Name",
      heads: true,
      cell: ({ name, email }) => (
        <>
          <span className="block font-medium wrap-anywhere">{name}</span>
          <span className="block text-sm text-soft wrap-anywhere">{email}</span>
        </>
      ),
    },
    {
      title: "Role",
      cell: ({ role }) =>
        role === "managed" ? (
          "Managed"
        ) : (
          <span title="Has what this role gives, and nothing by groups">
            {spaced(role)} <span className="text-soft">(not by groups)</span>
          </span>
        ),
    },
    { title: "Added", cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  if (onRemove !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (member) => (
        <IconButton label={`Remove ${member.name}`} onClick={() => onRemove(member)}>
          <X size={16} aria-hidden />
        </IconButton>
      ),
    });
  return <Table label="Members" columns={columns} rows={rows} keyOf={({ user_id }) => user_id} />;
}

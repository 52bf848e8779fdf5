// Groups: the list, and the ways to make and change them.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Pencil, Plus, Trash2, UsersRound } from "lucide-react";
import { useState } from "react";
import { GroupActs, type GroupAct } from "./group-acts.tsx";
import { useNewCommand } from "../kit/page/commands.ts";
import { groupQueries, type Group, type Role } from "./groups.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { RoleNames, Source } from "./group-source.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const { permissions } = useMe();
  const mayWrite = permissions.includes("groups:write");
  const [search, change] = useSearchState();
  const [act, setAct] = useState<GroupAct>();
  const navigate = useNavigate();
  const list = useInfiniteQuery(groupQueries.groups);
  const roles = useQuery(groupQueries.roles);
  const create = () => change({ new: "group" });
  useNewCommand("groups:new", "New group", mayWrite ? create : undefined);
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const isNew = search.new !== undefined && mayWrite;

  return (
    <>
      <PageHeader title="Groups" actions={mayWrite && <NewGroup onClick={create} />}>
        Members of a group have what its roles give, if their own role is managed.
      </PageHeader>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <GroupTable rows={rows} roles={roles.data?.data} {...(mayWrite && { onAct: setAct })} />
      )}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState
          icon={UsersRound}
          title="No groups yet"
          action={mayWrite && <NewGroup onClick={create} />}
        >
          Put people who need the same things into a group, and give the group roles: from then on
          whoever joins it has what they need. Identity providers can push groups by SCIM.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "group")}
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
      <GroupActs
        act={isNew ? { kind: "new" } : act}
        onClose={() => {
          setAct(undefined);
          if (isNew) change({ new: undefined });
        }}
        onDone={(kind, { id }) => {
          if (kind === "new") void navigate({ to: "/groups/$id", params: { id } });
        }}
      />
    </>
  );
}

function NewGroup({ onClick }: { onClick: () => void }) {
  return (
    <Button look="primary" onClick={onClick} title="N">
      <Plus size={16} aria-hidden />
      New group
    </Button>
  );
}

function GroupTable({
  rows,
  roles,
  onAct,
}: {
  rows: Group[];
  roles: Role[] | undefined;
  onAct?: (act: GroupAct) => void;
}) {
  const columns: Column<Group>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:min-w-48",
      cell: ({ id, name }) => (
        <Link
          to="/groups/$id"
          params={{ id }}
          className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { title: "Source", cell: (group) => <Source of={group} /> },
    { title: "Roles", cell: ({ role_ids }) => <RoleNames ids={role_ids} roles={roles} /> },
    { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      // One that an identity provider pushed says on its own page what may be changed here.
      cell: (group) =>
        group.source_type === "direct" && (
          <ActMenu
            label={`Change ${group.name}`}
            acts={[
              { label: "Rename", icon: Pencil, run: () => onAct({ kind: "rename", group }) },
              {
                label: "Delete",
                icon: Trash2,
                isBad: true,
                run: () => onAct({ kind: "delete", group }),
              },
            ]}
          />
        ),
    });
  return <Table label="Groups" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

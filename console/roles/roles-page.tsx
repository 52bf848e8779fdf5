// Roles: what each gives in words, who has it, and the editor.
import { useQuery } from "@tanstack/react-query";
import { Copy, Pencil, Plus, ShieldCheck, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteRole } from "./delete-role.tsx";
import { draftOf, RoleForm, type RoleDraft } from "./role-form.tsx";
import { useNewCommand } from "../kit/page/commands.ts";
import { groupQueries, summaryOf, type Role } from "../groups/groups.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RolePanel } from "./role-panel.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

const newRole: RoleDraft = { name: "", description: "", actions: [] };

export function Page() {
  const mayWrite = useMe().permissions.includes("roles:write");
  const { data, error, isPending, refetch } = useQuery(groupQueries.roles);
  const [search, change] = useSearchState();
  const [draft, setDraft] = useState<RoleDraft>();
  const [deleted, setDeleted] = useState<Role>();
  const create = () => setDraft(newRole);
  useNewCommand("roles:new", "New role", mayWrite ? create : undefined);
  const rows = data?.data ?? [];
  const open = rows.find(({ id }) => id === search["role"]);
  return (
    <>
      <PageHeader
        title="Roles"
        actions={
          mayWrite && (
            <Button look="primary" onClick={create} title="N">
              <Plus size={16} aria-hidden />
              New role
            </Button>
          )
        }
      >
        A role says what managed members may do. They have it by the groups that they are in.
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <RoleTable
          rows={rows}
          selected={open?.id}
          onOpen={(role) => change({ role: role.id })}
          {...(mayWrite && { onEdit: setDraft, onDelete: setDeleted })}
        />
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "role")}
      </p>
      <RolePanel role={open} onClose={() => change({ role: undefined })} />
      <RoleForm draft={draft} onClose={() => setDraft(undefined)} />
      <DeleteRole role={deleted} onClose={() => setDeleted(undefined)} />
    </>
  );
}

interface TableProps {
  rows: Role[];
  selected: string | undefined;
  onOpen: (role: Role) => void;
  onEdit?: (draft: RoleDraft) => void;
  onDelete?: (role: Role) => void;
}

function RoleTable({ rows, selected, onOpen, onEdit, onDelete }: TableProps) {
  const columns: Column<Role>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:min-w-56",
      cell: (role) => (
        <>
          <button
            type="button"
            className="text-left font-medium text-accent underline-offset-2 wrap-anywhere hover:underline max-md:min-h-10"
            onClick={() => onOpen(role)}
          >
            {role.display_name}
          </button>
          {role.description !== "" && (
            <span className="line-clamp-2 text-sm text-soft wrap-anywhere">{role.description}</span>
          )}
        </>
      ),
    },
    {
      title: "Kind",
      cell: ({ source, grants_owner_access }) => (
        <span className="flex flex-wrap gap-1">
          <Badge tone={source.type === "built_in" ? "neutral" : "accent"}>
            {source.type === "built_in" ? "Built in" : "Custom"}
          </Badge>
          {grants_owner_access && <Badge tone="warn">Owner access</Badge>}
        </span>
      ),
    },
    { title: "Gives", cell: ({ actions }) => summaryOf(actions) },
  ];
  if (onEdit !== undefined && onDelete !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (role) => <Acts role={role} onOpen={onOpen} onEdit={onEdit} onDelete={onDelete} />,
    });
  return (
    <Table label="Roles" columns={columns} rows={rows} keyOf={({ id }) => id} selected={selected} />
  );
}

function Acts({
  role,
  onOpen,
  onEdit,
  onDelete,
}: Required<Pick<TableProps, "onOpen" | "onEdit" | "onDelete">> & { role: Role }) {
  const isCustom = role.source.type === "custom";
  const { id: _, ...copy } = draftOf(role);
  return (
    <ActMenu
      label={`Change ${role.display_name}`}
      acts={[
        { label: "What it gives", icon: ShieldCheck, run: () => onOpen(role) },
        { label: "Change", icon: Pencil, when: isCustom, run: () => onEdit(draftOf(role)) },
        {
          label: "Make another like it",
          icon: Copy,
          run: () => onEdit({ ...copy, name: `${role.display_name} (copy)`.slice(0, 200) }),
        },
        {
          label: "Delete",
          icon: Trash2,
          isBad: true,
          when: isCustom,
          run: () => onDelete(role),
        },
      ]}
    />
  );
}

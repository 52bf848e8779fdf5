// Small words about a workspace: its tags, a role in it, and whose role that is.
import { useMe } from "../kit/server/queries.ts";
import { roleWords, type WorkspaceRole } from "./workspaces.ts";
import { Badge } from "../kit/value/badge.tsx";

export function Tags({ tags, most }: { tags: Record<string, string>; most: number }) {
  const all = Object.entries(tags).map(([key, value]) => (value === "" ? key : `${key}: ${value}`));
  if (all.length === 0) return <span className="text-soft">None</span>;
  return (
    <span className="inline-flex flex-wrap gap-1" title={all.join("\n")}>
      {all.slice(0, most).map((text) => (
        <span key={text} className="max-w-52 truncate rounded-full bg-sunken px-2 py-0.5 text-xs">
          {text}
        </span>
      ))}
      {all.length > most && <Badge>{`${all.length - most} more`}</Badge>}
    </span>
  );
}

export const RoleName = ({ role }: { role: WorkspaceRole }) => (
  <span title={roleWords[role].means}>{roleWords[role].name}</span>
);

/** Of the person who looks. */
export function YourRole({ id }: { id: string }) {
  const { workspaces, permissions } = useMe();
  const own = workspaces.find((workspace) => workspace.id === id);
  if (own?.role != null) return <RoleName role={own.role} />;
  if (permissions.includes("workspaces:write"))
    return <span title="From your role in the organization">Administrator</span>;
  return own === undefined ? <RoleName role="workspace_billing" /> : "Everybody's";
}

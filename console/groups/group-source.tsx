// Where a group comes from, and which roles it has.
import type { Group, Role } from "./groups.ts";
import { Badge } from "../kit/value/badge.tsx";

export function Source({ of }: { of: Pick<Group, "source_type"> }) {
  return of.source_type === "scim" ? <Badge tone="accent">SCIM</Badge> : <Badge>Made here</Badge>;
}

/** Null is not none: the server could not read them just now. */
export function RoleNames({ ids, roles }: { ids: string[] | null; roles: Role[] | undefined }) {
  if (ids === null) return <span className="text-warn">Not known just now</span>;
  if (ids.length === 0) return <span className="text-soft">None</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {ids.map((id) => {
        const role = roles?.find((one) => one.id === id);
        return (
          <Badge key={id} tone={role?.grants_owner_access === true ? "warn" : "neutral"}>
            {role?.display_name ?? id}
          </Badge>
        );
      })}
    </span>
  );
}

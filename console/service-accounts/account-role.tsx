// The role of a service account; one that administers stands out.
import { accountRoles, type AccountRole } from "../federation/federation.ts";
import { Badge } from "../kit/value/badge.tsx";

export function AccountRoleName({ role }: { role: AccountRole }) {
  const { name, means } = accountRoles[role];
  return <span title={means}>{role === "admin" ? <Badge tone="warn">{name}</Badge> : name}</span>;
}

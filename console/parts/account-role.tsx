// The role of a service account; one that administers stands out.
import { accountRoles, type AccountRole } from "../lib/federation.ts";
import { Badge } from "./badge.tsx";

export function AccountRoleName({ role }: { role: AccountRole }) {
  const { name, means } = accountRoles[role];
  return <span title={means}>{role === "admin" ? <Badge tone="warn">{name}</Badge> : name}</span>;
}

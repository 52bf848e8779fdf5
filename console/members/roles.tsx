// The roles of members: their words, a badge, and the choice of one.
import { SelectField } from "../kit/form/select.tsx";
import type { Role } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";

export const roleNames: Record<Role, string> = {
  user: "User",
  claude_code_user: "Coding user",
  vendor_code_user: "Coding user",
  developer: "Developer",
  billing: "Billing",
  admin: "Admin",
  managed: "Managed",
  membership_admin: "Membership admin",
  owner: "Owner",
  primary_owner: "Primary owner",
};

const roleHints: Record<Role, string> = {
  user: "Uses the playground and what is in the workspaces.",
  claude_code_user: "As a user, and the coding assistant.",
  vendor_code_user: "As a user, and the coding assistant.",
  developer: "As a user, and manages API keys.",
  billing: "As a user, and sees usage and sets seats.",
  admin: "Everything but what belongs to owners.",
  managed: "Only what the roles of their groups give.",
  membership_admin: "Manages members, and no settings.",
  owner: "Everything, also who is an administrator.",
  primary_owner: "Everything. There is exactly one.",
};

export const RoleBadge = ({ role }: { role: Role }) => (
  <span title={roleHints[role]}>
    <Badge tone={role.includes("owner") ? "accent" : "neutral"}>{roleNames[role]}</Badge>
  </span>
);

export function RoleField({
  roles,
  value,
  ...field
}: {
  roles: readonly Role[];
  value: Role;
  error: string | undefined;
  onChange: (role: Role) => void;
}) {
  return (
    <SelectField
      label="Role"
      hint={roleHints[value]}
      value={value}
      choices={roles.map((role) => ({ value: role, label: roleNames[role] }))}
      {...field}
    />
  );
}

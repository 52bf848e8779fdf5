// Roles in words: what each is called and what it may do.
import type { Role } from "../kit/server/api.ts";

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

export const roleHints: Record<Role, string> = {
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

// Roles that every enterprise organization has: the same ids everywhere, never changed.
import { allCapabilities, allModels, stableCapabilities } from "./actions.ts";

export interface BuiltInRole {
  id: string;
  name: string;
  description: string;
  actions: readonly string[];
}

const administrationReadings = [
  "permission_members_read",
  "permission_groups_read",
  "permission_workspaces_read",
  "permission_api_keys_read",
  "permission_usage_read",
  "permission_limits_read",
  "permission_audit_read",
  "permission_seats_read",
  "permission_webhooks_read",
];

/** In the order of the list. Groups keep these ids for ever: an id is never used for another role. */
export const builtInRoles: readonly BuiltInRole[] = [
  {
    id: "rbac_role_everyday",
    name: "Everyday use",
    description: "Every capability that is no beta, with every model.",
    actions: [stableCapabilities, allModels],
  },
  {
    id: "rbac_role_everything",
    name: "All capabilities",
    description: "Every capability, betas too, with every model.",
    actions: [allCapabilities, allModels],
  },
  {
    id: "rbac_role_auditor",
    name: "Auditor",
    description: "Reads the administration and changes nothing.",
    actions: administrationReadings,
  },
];

/** The date of their introduction. */
export const builtInSince = new Date("2026-11-21T00:00:00Z");

const byId = new Map(builtInRoles.map((role) => [role.id, role]));
export const builtInRole = (id: string): BuiltInRole | undefined => byId.get(id);

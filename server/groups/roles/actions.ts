// Every action that a role can hold, and what it gives: the one table that the API, the console and the checks read.

export type Variant = "capability" | "model_access" | "permission";

export interface RoleAction {
  action: string;
  variant: Variant;
  /** In words, for the person who edits a role. */
  gives: string;
  /** The permissions that it stands for. */
  permissions: readonly string[];
  /** Of a capability that is no beta. */
  isStable?: true;
  /** Gives what otherwise only owners may do. */
  isOwners?: true;
}

export const allCapabilities = "capability_access_all";
export const stableCapabilities = "capability_access_all_ga";
export const allModels = "model_access_all";
const oneModel = /^model_access:([\w.:@/+-]{1,256})$/;

const capabilities: readonly RoleAction[] = [
  {
    action: "capability_messages",
    variant: "capability",
    gives: "Use the playground, send messages and count tokens",
    permissions: ["messages:use"],
    isStable: true,
  },
  {
    action: "capability_batches",
    variant: "capability",
    gives: "Send batches of messages, and fetch their results",
    permissions: ["batches:use"],
    isStable: true,
  },
  {
    action: "capability_files",
    variant: "capability",
    gives: "Upload, download and delete files",
    permissions: ["files:use"],
    isStable: true,
  },
  {
    action: "capability_memory",
    variant: "capability",
    gives: "Read and write memory stores (beta)",
    permissions: ["memory:use"],
  },
  {
    action: "capability_agents",
    variant: "capability",
    gives: "Make and use agents (beta)",
    permissions: ["agents:use"],
  },
  {
    action: "capability_sessions",
    variant: "capability",
    gives: "Begin sessions of agents, talk to them and read them (beta)",
    permissions: ["sessions:use"],
  },
  {
    action: "capability_deployments",
    variant: "capability",
    gives:
      "Run agents by a schedule, and begin sessions by hand with what a deployment names (beta)",
    permissions: ["deployments:use"],
  },
  {
    action: "capability_environments",
    variant: "capability",
    gives: "Make, change and delete environments, and keys of their workers (beta)",
    permissions: ["environments:use", "environment_keys:use"],
  },
  {
    action: "capability_vaults",
    variant: "capability",
    gives: "Make, change and delete vaults and the credentials in them (beta)",
    permissions: ["vaults:use"],
  },
  {
    action: "capability_webhooks",
    variant: "capability",
    gives: "Make, change and delete webhooks of a workspace; send test events (beta)",
    permissions: ["workspace_webhooks:use"],
  },
  {
    action: "capability_skills",
    variant: "capability",
    gives: "Upload, download and delete skills",
    permissions: ["skills:use"],
    isStable: true,
  },
];

const admin = (
  name: string,
  gives: string,
  permissions: readonly string[],
  more: Pick<RoleAction, "isOwners"> = {},
): RoleAction => ({
  action: `permission_${name}`,
  variant: "permission",
  gives,
  permissions,
  ...more,
});

const administration: readonly RoleAction[] = [
  admin("members_read", "See members and invites", ["members:read"]),
  admin("members_write", "Invite, change and remove members", ["members:read", "members:write"]),
  admin("groups_read", "See groups, their members and their roles", ["groups:read", "roles:read"]),
  admin("groups_write", "Make, rename and delete groups; add and remove their members", [
    "groups:read",
    "groups:write",
    "roles:read",
    "members:read",
  ]),
  admin("roles_read", "See roles and what they give", ["roles:read"]),
  admin(
    "roles_write",
    "Make, change and delete roles, and give them to groups",
    ["roles:read", "roles:write", "groups:read", "members:read"],
    { isOwners: true },
  ),
  admin("workspaces_read", "See workspaces and their members", ["workspaces:read"]),
  admin("workspaces_write", "Make, change and archive workspaces; manage their members", [
    "workspaces:read",
    "workspaces:write",
    "members:read",
  ]),
  admin("api_keys_read", "See keys", ["api_keys:read", "workspaces:read"]),
  admin("api_keys_write", "Make, rename and deactivate keys", [
    "api_keys:read",
    "api_keys:write",
    "workspaces:read",
  ]),
  admin("usage_read", "See usage and cost", ["usage:read"]),
  admin("request_bodies_read", "Read what was said in requests, where a workspace keeps it", [
    "request_bodies:read",
    "usage:read",
  ]),
  admin("limits_read", "See rate limits and spend limits", ["limits:read"]),
  admin("limits_write", "Change rate limits and spend limits", ["limits:read", "limits:write"]),
  admin("audit_read", "Read the audit log", ["audit:read"]),
  admin("webhooks_read", "See webhook endpoints and what was delivered to them", ["webhooks:read"]),
  admin("webhooks_write", "Make, change and delete webhook endpoints; send test events", [
    "webhooks:read",
    "webhooks:write",
  ]),
  admin("identity_provider_read", "See how members sign in", ["identity_provider:read"]),
  admin(
    "identity_provider_write",
    "Change how members sign in, and what the identity provider controls",
    ["identity_provider:read", "identity_provider:write"],
    { isOwners: true },
  ),
  admin("seats_read", "See seats and who holds one", ["seats:read"]),
  admin("seats_write", "Change seats and who holds one", ["seats:read", "seats:write"], {
    isOwners: true,
  }),
];

const blankets: readonly RoleAction[] = [
  {
    action: allCapabilities,
    variant: "capability",
    gives: "Every capability, those of later versions too",
    permissions: capabilities.flatMap(({ permissions }) => permissions),
    isStable: true,
  },
  {
    action: stableCapabilities,
    variant: "capability",
    gives: "Every capability that is no beta, those of later versions too",
    permissions: capabilities
      .filter(({ isStable }) => isStable)
      .flatMap(({ permissions }) => permissions),
    isStable: true,
  },
];

const modelAccess: readonly RoleAction[] = [
  {
    action: allModels,
    variant: "model_access",
    gives: "Every model, those that are added later too",
    permissions: ["models:read"],
  },
];

export const actions: readonly RoleAction[] = [
  ...blankets,
  ...capabilities,
  ...modelAccess,
  ...administration,
];
const byName = new Map(actions.map((row) => [row.action, row]));

export const isBlanket = (action: string) =>
  action === allCapabilities || action === stableCapabilities || action === allModels;

/** The model that an action names; undefined for every other action. */
export const modelOf = (action: string): string | undefined => oneModel.exec(action)?.[1];

/** The facts of an action; undefined for one that this server does not know. */
export function actionOf(action: string): RoleAction | undefined {
  const model = modelOf(action);
  if (model === undefined) return byName.get(action);
  return {
    action,
    variant: "model_access",
    gives: `The model ${model}`,
    permissions: ["models:read"],
  };
}

export const grantsOwnerAccess = (held: readonly string[]) =>
  held.some((action) => actionOf(action)?.isOwners === true);

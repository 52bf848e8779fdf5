// The shapes on the wire. Generated from the route table by tools/contract.ts: do not edit.

export type ApiKey = {
  id: string;
  type: "api_key";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  partial_key_hint: string | null;
  created_by: {
    id: string;
    type: "user" | "service_account";
  } | null;
  principal: null;
  scope: {
    type: "workspace";
    workspace_id: string;
  } | {
    type: "organization";
  };
};

export type AuditEvent = {
  id: string;
  type: "audit_event";
  at: string;
  action: string;
  actor: {
    type: string;
    id: string | null;
    name: string | null;
  };
  target: {
    type: string;
    id: string;
  } | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
};

/** What every error looks like. */
export type ErrorEnvelope = {
  type: "error";
  error: {
    /** The kind of error. New kinds may be added. */
    type: string;
    /** A sentence for people. It may change. */
    message: string;
    /** For programs: `error_code`, a stable cause, and what belongs to it. */
    details?: {
      error_code?: string;
    } & Record<string, unknown>;
  };
  request_id: string | null;
};

export type Key = {
  id: string;
  type: "key";
  kind: "api" | "admin" | "oauth";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string;
  created_by: {
    id: string;
    type: "user";
    name: string;
  } | null;
  workspace_id: string | null;
  scopes: string[];
};

export type Organization = {
  id: string;
  type: "organization";
  name: string;
};

export type ConsoleAuditListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  action?: string | undefined;
};

export type ConsoleAuditListReply = {
  data: AuditEvent[];
  next_page: string | null;
};

export type ConsoleKeysListQuery = {
  limit?: number | undefined;
  page?: string | undefined;
  kind?: ("api" | "admin" | "oauth")[] | undefined;
  status?: ("active" | "inactive" | "archived" | "expired")[] | undefined;
  workspace_id?: string | undefined;
};

export type ConsoleKeysListReply = {
  data: Key[];
  next_page: string | null;
};

export type ConsoleKeysCreateBody = {
  name: string;
  kind: "api" | "admin";
  workspace_id?: string | undefined;
  expires_at?: string | undefined;
  scopes?: ("read:members" | "write:members" | "read:rbac_groups" | "write:rbac_groups" | "read:org_audit" | "read:analytics")[] | undefined;
};

export type ConsoleKeysCreateReply = {
  id: string;
  type: "key";
  kind: "api" | "admin" | "oauth";
  name: string;
  status: "active" | "inactive" | "archived" | "expired";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string;
  created_by: {
    id: string;
    type: "user";
    name: string;
  } | null;
  workspace_id: string | null;
  scopes: string[];
  secret: string;
};

export type ConsoleKeysUpdateParams = {
  key_id: string;
};

export type ConsoleKeysUpdateBody = {
  name?: string | null | undefined;
  status?: "active" | "inactive" | "archived" | null | undefined;
};

export type ConsoleKeysUpdateReply = Key;

export type ConsoleMeReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
  workspaces: {
    id: string;
    name: string;
    is_default: boolean;
  }[];
  permissions: string[];
};

export type ConsoleOverviewReply = {
  keys: {
    active: number;
    used_last_day: number;
  };
  members: number;
  workspaces: number;
  requests: {
    last_hour: number;
    errors_last_hour: number;
    by_minute: number[];
  };
  server: {
    version: string;
    node: string;
    database: {
      kind: "embedded" | "external";
      version: string;
    };
    started_at: string;
    workers: number;
    public_url: string;
  };
};

export type ConsolePasswordBody = {
  current_password: string;
  new_password: string;
};

export type ConsoleSetupBody = {
  token: string;
  email?: string | undefined;
  password: string;
  name?: string | undefined;
  organization_name?: string | undefined;
};

export type ConsoleSetupReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsoleSetupLinkBody = {
  token: string;
};

export type ConsoleSetupLinkReply = {
  organization_name: string;
  email: string | null;
};

export type ConsoleSignInBody = {
  email: string;
  password: string;
  organization_id?: string | undefined;
};

export type ConsoleSignInReply = {
  user: {
    id: string;
    email: string;
    name: string;
    role: string;
  };
  organization: {
    id: string;
    type: "platform" | "enterprise" | "platform_cloud";
    name: string;
  };
};

export type ConsoleSignInsListReply = {
  data: {
    id: string;
    type: "sign_in";
    created_at: string;
    last_seen_at: string;
    address: string;
    user_agent: string;
    current: boolean;
  }[];
};

export type ConsoleSignInsDeleteParams = {
  sign_in_id: string;
};

export type ConsoleSignInsDeleteReply = {
  id: string;
  type: "sign_in_deleted";
};

export type ConsoleSignOutEverywhereReply = {
  signed_out: number;
};

export type OperationsHealthReply = {
  status: "ok";
};

export type DocumentsOpenapiReply = {
  openapi: string;
};

export type OperationsReadyReply = {
  status: "ready";
};

export type ApiKeysListQuery = {
  limit?: number | undefined;
  after_id?: string | undefined;
  before_id?: string | undefined;
  status?: "active" | "inactive" | "archived" | "expired" | undefined;
  workspace_id?: string | undefined;
  created_by_user_id?: string | undefined;
};

export type ApiKeysListReply = {
  data: ApiKey[];
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type ApiKeysRetrieveParams = {
  api_key_id: string;
};

export type ApiKeysRetrieveReply = ApiKey;

export type ApiKeysUpdateParams = {
  api_key_id: string;
};

export type ApiKeysUpdateBody = {
  name?: string | null | undefined;
  status?: "active" | "inactive" | "archived" | null | undefined;
};

export type ApiKeysUpdateReply = ApiKey;

export type OrganizationsMeReply = Organization;

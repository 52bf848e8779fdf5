// The calls of the console, typed. The only file here that knows how the server is spoken to.

export interface Me {
  user: { id: string; email: string; name: string | null; role: string };
  organization: { id: string; type: OrganizationType; name: string };
  workspaces: { id: string; name: string; is_default: boolean }[];
  permissions: string[];
}
export type OrganizationType = "platform" | "enterprise" | "platform_cloud";

export type KeyKind = "api" | "admin" | "oauth";
export type KeyStatus = "active" | "inactive" | "archived" | "expired";
export interface Key {
  id: string;
  kind: KeyKind;
  name: string;
  status: KeyStatus;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  partial_key_hint: string | null;
  created_by: { id: string; type: string; name: string | null } | null;
  workspace_id: string | null;
  scopes: string[];
}
export interface NewKey {
  name: string;
  kind: "api" | "admin";
  workspace_id?: string;
  expires_at?: string;
  scopes?: string[];
}
export interface KeyChange {
  name?: string;
  status?: "active" | "inactive" | "archived";
}
export interface AuditEntry {
  id: string;
  at: string;
  action: string;
  actor: { type: string; id: string | null; name: string | null };
  target: { type: string; id: string } | null;
  address: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
}
export interface SignIn {
  id: string;
  created_at: string;
  last_seen_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}
export interface Overview {
  keys: { active: number; used_last_day: number };
  members: number;
  workspaces: number;
  /** `by_minute`: oldest first, of the process that answered. */
  requests: { last_hour: number; errors_last_hour: number; by_minute: number[] };
  server: {
    version: string;
    node: string;
    database: { kind: "embedded" | "external"; version: string };
    started_at: string;
    workers: number;
    public_url: string;
  };
}
export interface Page<T> {
  data: T[];
  next_page: string | null;
}

export class ApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly requestId: string | null;
  readonly details: unknown;

  constructor(
    status: number,
    type: string,
    message: string,
    requestId: string | null,
    details: unknown,
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.type = type;
    this.requestId = requestId;
    this.details = details;
  }
}

type Query = Record<string, string | number | readonly string[] | undefined>;

function address(path: string, query: Query): string {
  const url = new URL(path, window.location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) url.searchParams.append(`${name}[]`, one);
    else if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url.toString();
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  query: Query = {},
): Promise<T> {
  const init: RequestInit = { method, credentials: "same-origin", headers: {} };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const reply = await fetch(address(path, query), init);
  const text = await reply.text();
  if (!reply.ok) throw refusal(reply, text);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

function refusal(reply: Response, text: string): ApiError {
  const requestId = reply.headers.get("request-id");
  try {
    const { error, request_id } = JSON.parse(text);
    return new ApiError(
      reply.status,
      error.type,
      error.message,
      request_id ?? requestId,
      error.details,
    );
  } catch {
    return new ApiError(reply.status, "api_error", reply.statusText, requestId, undefined);
  }
}

const id = encodeURIComponent;

export const api = {
  me: () => call<Me>("GET", "/console/api/me"),
  overview: () => call<Overview>("GET", "/console/api/overview"),
  signOut: () => call<void>("POST", "/console/api/sign_out"),
  signOutEverywhere: () => call<{ signed_out: number }>("POST", "/console/api/sign_out_everywhere"),
  changePassword: (body: { current_password: string; new_password: string }) =>
    call<void>("POST", "/console/api/password", body),
  signIns: () => call<{ data: SignIn[] }>("GET", "/console/api/sign_ins"),
  endSignIn: (signInId: string) => call<unknown>("DELETE", `/console/api/sign_ins/${id(signInId)}`),
  keys: (query: Query) => call<Page<Key>>("GET", "/console/api/keys", undefined, query),
  createKey: (body: NewKey) => call<Key & { secret: string }>("POST", "/console/api/keys", body),
  updateKey: (keyId: string, body: KeyChange) =>
    call<Key>("POST", `/console/api/keys/${id(keyId)}`, body),
  audit: (query: Query) => call<Page<AuditEntry>>("GET", "/console/api/audit", undefined, query),
};

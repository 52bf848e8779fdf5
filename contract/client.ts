// A client for every operation of this server. Generated from the route table by tools/contract.ts: do not edit.
import type * as api from "./types.ts";

export interface ClientOptions {
  /** Where the server is, without a slash at the end; "" for the page's own server. */
  baseUrl: string;
  fetch?: typeof globalThis.fetch;
  /** Sent with every request: `x-api-key` or `authorization`, for instance. */
  headers?: Record<string, string>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** An event of a stream; its `type` says what else is in it. */
export interface StreamEvent {
  type: string;
  [field: string]: unknown;
}

/** Bytes of any kind that fetch takes. */
export type Bytes = NonNullable<RequestInit["body"]>;

/** JSON that is written already, and may be larger than memory. */
export type JsonBytes = Blob | ReadableStream<Uint8Array>;

/** A form that is written already; its content-type, which names the boundary, stands in the headers. */
export type FormBytes = ReadableStream<Uint8Array>;

export interface Pages {
  /** Every item of a list, page after page. */
  pages<Input, Page extends { data: readonly unknown[] }>(
    list: (input: Input) => Promise<Page>,
    ...input: undefined extends Input ? [Input?] : [Input]
  ): AsyncGenerator<Page["data"][number], void, undefined>;
}

interface ErrorFacts {
  status: number;
  type: string;
  code: string | undefined;
  details: Record<string, unknown>;
  requestId: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** What the server has to say when it does not do what was asked. */
export class ApiError extends Error {
  readonly status: number;
  /** `not_found_error` and the like. */
  readonly type: string;
  /** A stable cause, for programs, where there is one. */
  readonly code: string | undefined;
  readonly details: Record<string, unknown>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    this.name = "ApiError";
    this.status = facts.status;
    this.type = facts.type;
    this.code = facts.code;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

interface Call {
  /** `POST /v1/memory_stores/{memory_store_id}` */
  route: string;
  beta?: string;
  /** The body goes out as it is: a form or bytes. JSON otherwise. */
  raw?: true;
  /** The body may be bytes of JSON as well. */
  streamed?: true;
  /** What comes back, where it is not JSON. */
  reply?: "bytes" | "text";
  /** The query field that turns the page. */
  pages?: "page" | "page_token" | "after_id";
}

interface Input extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

type Method = ((input?: Input) => Promise<unknown>) & { turns?: Call["pages"] };

export function createClient(options: ClientOptions): Client {
  const root: Record<string, unknown> = { pages };
  for (const [operation, call] of Object.entries(calls)) {
    const steps = operation.split(".");
    const verb = steps.pop() ?? "";
    let at = root;
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
    const method: Method = (input = {}) => send(options, call, input);
    at[verb] = Object.assign(method, { turns: call.pages });
  }
  return root as unknown as Client;
}

async function send(options: ClientOptions, call: Call, input: Input): Promise<unknown> {
  const [method = "", path = ""] = call.route.split(" ");
  const headers: Record<string, string> = {
    "vendor-version": "2026-10-21",
    ...(call.beta !== undefined && { "vendor-beta": call.beta }),
    ...options.headers,
  };
  // Fetch knows the type of a form and its boundary; of bytes, nobody but the caller knows.
  const json = input.body !== undefined && !call.raw;
  if (json) headers["content-type"] = "application/json";
  const request: RequestInit & { duplex?: "half" } = {
    method,
    headers: { ...headers, ...input.headers },
    ...(input.signal && { signal: input.signal }),
    ...(input.body !== undefined && {
      body: json && !isBytes(call, input.body) ? JSON.stringify(input.body) : (input.body as Bytes),
    }),
  };
  if (input.body instanceof ReadableStream) request.duplex = "half";
  const url = options.baseUrl + fill(path, input.params) + queryText(input.query);
  const response = await (options.fetch ?? fetch)(url, request);
  if (!response.ok) throw apiError(response, await response.text());
  return read(response, call.reply);
}

const isBytes = ({ streamed }: Call, body: unknown) =>
  streamed && (body instanceof ReadableStream || body instanceof Blob);

async function read(response: Response, kind: Call["reply"]): Promise<unknown> {
  if (kind === "bytes") return response;
  if (kind === "text") return response.text();
  if (response.headers.get("content-type")?.startsWith("text/event-stream"))
    return readEvents(response);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

/** An empty segment or dots would reach another route than the one that was meant. */
function fill(path: string, params: Record<string, unknown> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = textOf(params[name], "");
    if (text === "" || text === "." || text === "..")
      throw new TypeError(`${name}: ${JSON.stringify(text)} cannot stand in ${path}`);
    return encodeURIComponent(text);
  });
}

/** `statuses[]=a&statuses[]=b`, `created_at[gte]=…`; what is undefined or null is left out. */
function queryText(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams();
  const add = (key: string, value: unknown): void => {
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) for (const item of value) add(`${key}[]`, item);
    else if (typeof value === "object")
      for (const [sub, bound] of Object.entries(value)) add(`${key}[${sub}]`, bound);
    else search.append(key, textOf(value, ""));
  };
  for (const [key, value] of Object.entries(query)) add(key, value);
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function apiError(response: Response, text: string): ApiError {
  const envelope = parseObject(text);
  const { type, message, details: told, ...fields } = asObject(envelope["error"]);
  const details = { ...fields, ...asObject(told) };
  // The token endpoint speaks the words of OAuth: `error` is a code itself.
  const isOauth = typeof envelope["error"] === "string";
  const code = isOauth ? envelope["error"] : details["error_code"];
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const fallback = `${response.status} ${response.statusText}`.trim();
  return new ApiError(textOf(isOauth ? envelope["error_description"] : message, fallback), {
    status: response.status,
    type: textOf(type, "api_error"),
    code: typeof code === "string" ? code : undefined,
    details,
    requestId: response.headers.get("request-id") ?? undefined,
    retryAfterSeconds: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
}

/** A proxy in between may answer with a page of its own. */
function parseObject(text: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

const textOf = (value: unknown, fallback: string): string =>
  value === undefined ? fallback : typeof value === "string" ? value : JSON.stringify(value);

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (rest + decoder.decode(value, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/);
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const { name, data } = readFrame(frame);
        if (name === "error") throw apiError(response, data);
        if (data !== "" && name !== "ping") yield JSON.parse(data) as StreamEvent;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function readFrame(frame: string): { name: string; data: string } {
  let name = "message";
  const data: string[] = [];
  for (const line of frame.split(/\r\n|\n|\r/)) {
    const [, field, value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return { name, data: data.join("\n") };
}

async function* pages(list: Method, input: Input = {}): AsyncGenerator<unknown, void, undefined> {
  let query = { ...input.query };
  for (;;) {
    const page = asObject(await list({ ...input, query }));
    yield* page["data"] as unknown[];
    const next = turn(list.turns, query, page);
    if (next === undefined) return;
    query = { ...query, ...next };
  }
}

/** The query fields that ask for the page after this one; undefined when this was the last. */
function turn(by: Call["pages"], query: Record<string, unknown>, page: Record<string, unknown>) {
  if (by === undefined) throw new TypeError("pages: this operation has no pages");
  if (by !== "after_id") {
    const next = page["next_page"];
    return next === null || next === undefined ? undefined : { [by]: next };
  }
  if (page["has_more"] !== true) return undefined;
  return query["before_id"] === undefined
    ? { after_id: page["last_id"] }
    : { before_id: page["first_id"] };
}

export interface Client extends Pages {
  oauth: {
    /** Where programs ask for access, and how (RFC 8414). `GET /.well-known/oauth-authorization-server` */
    metadata(input?: CallOptions): Promise<api.OauthMetadataReply>;
    /** What the MCP server of this server is, and who gives tokens for it (RFC 9728). `GET /.well-known/oauth-protected-resource` */
    protected_resource(input?: CallOptions): Promise<api.OauthProtectedResourceReply>;
    /** The same where clients look for it first. `GET /.well-known/oauth-protected-resource/mcp` */
    protected_resource_mcp(input?: CallOptions): Promise<api.OauthProtectedResourceMcpReply>;
    /** Begins a sign-in with a code that is typed in any browser (RFC 8628). `POST /v1/oauth/device_authorization` */
    device_authorization(input: { body: api.OauthDeviceAuthorizationBody } & CallOptions): Promise<api.OauthDeviceAuthorizationReply>;
    /** Registers a program that wants to sign people in for the MCP server (RFC 7591). `POST /v1/oauth/register` */
    register(input: { body: api.OauthRegisterBody } & CallOptions): Promise<api.OauthRegisterReply>;
    /** Ends a sign-in: the token and all that belong to it (RFC 7009). `POST /v1/oauth/revoke` */
    revoke(input: { body: api.OauthRevokeBody } & CallOptions): Promise<api.OauthRevokeReply>;
    /** Gives an access token for a refresh token, or for a token of a trusted issuer. `POST /v1/oauth/token` */
    token(input: { body: api.OauthTokenBody } & CallOptions): Promise<api.OauthTokenReply>;
    /** Whose access token this is, and what it may do. `GET /v1/oauth/userinfo` */
    userinfo(input?: CallOptions): Promise<api.OauthUserinfoReply>;
  };
  console: {
    /** Accepts an invite: sets name and password, and signs in. `POST /console/api/accept_invite` */
    accept_invite(input: { body: api.ConsoleAcceptInviteBody } & CallOptions): Promise<api.ConsoleAcceptInviteReply>;
    alert_rules: {
      /** Lists the rules by which alerts fire, with their numbers. `GET /console/api/alert_rules` */
      list(input?: CallOptions): Promise<api.ConsoleAlertRulesListReply>;
      /** Reads one rule. `GET /console/api/alert_rules/{kind}` */
      retrieve(input: { params: api.ConsoleAlertRulesRetrieveParams } & CallOptions): Promise<api.ConsoleAlertRulesRetrieveReply>;
      /** Switches a rule on or off, or changes its numbers. `POST /console/api/alert_rules/{kind}` */
      update(input: { params: api.ConsoleAlertRulesUpdateParams; body?: api.ConsoleAlertRulesUpdateBody } & CallOptions): Promise<api.ConsoleAlertRulesUpdateReply>;
    };
    alert_settings: {
      /** Whom alerts are mailed to. `GET /console/api/alert_settings` */
      retrieve(input?: CallOptions): Promise<api.ConsoleAlertSettingsRetrieveReply>;
      /** Sets whom alerts are mailed to. `POST /console/api/alert_settings` */
      update(input?: { body?: api.ConsoleAlertSettingsUpdateBody } & CallOptions): Promise<api.ConsoleAlertSettingsUpdateReply>;
    };
    alerts: {
      /** Lists alerts, newest first: what fires, what has fired, or both. `GET /console/api/alerts` */
      list(input?: { query?: api.ConsoleAlertsListQuery } & CallOptions): Promise<api.ConsoleAlertsListReply>;
      /** Reads one alert. `GET /console/api/alerts/{alert_id}` */
      retrieve(input: { params: api.ConsoleAlertsRetrieveParams } & CallOptions): Promise<api.ConsoleAlertsRetrieveReply>;
    };
    analytics: {
      /** What a range cost, by up to five dimensions, by class of tokens and by time. `GET /console/api/analytics/cost` */
      cost(input: { query: api.ConsoleAnalyticsCostQuery } & CallOptions): Promise<api.ConsoleAnalyticsCostReply>;
      /** Tokens and requests of a range, by up to five dimensions and by time. `GET /console/api/analytics/usage` */
      usage(input: { query: api.ConsoleAnalyticsUsageQuery } & CallOptions): Promise<api.ConsoleAnalyticsUsageReply>;
    };
    audit: {
      /** Lists what was done in the organization, newest first. `GET /console/api/audit` */
      list(input?: { query?: api.ConsoleAuditListQuery } & CallOptions): Promise<api.ConsoleAuditListReply>;
      /** The actions that occur in the organization's audit log. `GET /console/api/audit/actions` */
      actions(input?: CallOptions): Promise<api.ConsoleAuditActionsReply>;
      /** How far the organization's audit log was verified, and what was found. `GET /console/api/audit/chain` */
      chain(input?: CallOptions): Promise<api.ConsoleAuditChainReply>;
      /** The audit log as JSON lines or CSV, newest first, as far as the filters take it. `GET /console/api/audit/export` */
      export(input: { query: api.ConsoleAuditExportQuery } & CallOptions): Promise<Response>;
    };
    authorize: {
      /** What a program that opened the browser asks for. `POST /console/api/authorize` */
      read(input: { body: api.ConsoleAuthorizeReadBody } & CallOptions): Promise<api.ConsoleAuthorizeReadReply>;
      /** Grants it, and says where the browser goes back to. `POST /console/api/authorize/approve` */
      approve(input: { body: api.ConsoleAuthorizeApproveBody } & CallOptions): Promise<api.ConsoleAuthorizeApproveReply>;
      /** Refuses it, and says where the browser goes back to. `POST /console/api/authorize/deny` */
      deny(input: { body: api.ConsoleAuthorizeDenyBody } & CallOptions): Promise<api.ConsoleAuthorizeDenyReply>;
    };
    batches: {
      /** Who made batches, what each cost and took, and how much of it was refused. `GET /console/api/batches/totals` */
      totals(input: { query: api.ConsoleBatchesTotalsQuery } & CallOptions): Promise<api.ConsoleBatchesTotalsReply>;
      /** Results of a batch, also while it runs, by outcome and by part of the custom id. `GET /console/api/batches/{message_batch_id}/results` */
      results(input: { params: api.ConsoleBatchesResultsParams; query?: api.ConsoleBatchesResultsQuery } & CallOptions): Promise<api.ConsoleBatchesResultsReply>;
    };
    break_glass: {
      /** Whether an owner keeps password and passkeys where single sign-on is required. `POST /console/api/break_glass/{user_id}` */
      set(input: { params: api.ConsoleBreakGlassSetParams; body: api.ConsoleBreakGlassSetBody } & CallOptions): Promise<api.ConsoleBreakGlassSetReply>;
    };
    deployments: {
      /** What the schedule of a deployment named while the server was away, newest first. `GET /console/api/deployments/{deployment_id}/missed` */
      missed(input: { params: api.ConsoleDeploymentsMissedParams } & CallOptions): Promise<api.ConsoleDeploymentsMissedReply>;
    };
    device: {
      /** What waits for an answer under a code. `POST /console/api/device` */
      read(input: { body: api.ConsoleDeviceReadBody } & CallOptions): Promise<api.ConsoleDeviceReadReply>;
      /** Grants a program what it asks for. `POST /console/api/device/approve` */
      approve(input: { body: api.ConsoleDeviceApproveBody } & CallOptions): Promise<api.ConsoleDeviceApproveReply>;
      /** Refuses what a program asks for. `POST /console/api/device/deny` */
      deny(input: { body: api.ConsoleDeviceDenyBody } & CallOptions): Promise<api.ConsoleDeviceDenyReply>;
    };
    email_domains: {
      /** Lists the e-mail domains that the organization has claimed. `GET /console/api/email_domains` */
      list(input?: CallOptions): Promise<api.ConsoleEmailDomainsListReply>;
      /** Claims an e-mail domain. It captures nobody before it is verified. `POST /console/api/email_domains` */
      create(input: { body: api.ConsoleEmailDomainsCreateBody } & CallOptions): Promise<api.ConsoleEmailDomainsCreateReply>;
      /** Gives an e-mail domain up. `DELETE /console/api/email_domains/{email_domain_id}` */
      delete(input: { params: api.ConsoleEmailDomainsDeleteParams } & CallOptions): Promise<api.ConsoleEmailDomainsDeleteReply>;
      /** Looks for the TXT record that shows that the domain is the organization's. `POST /console/api/email_domains/{email_domain_id}/verify` */
      verify(input: { params: api.ConsoleEmailDomainsVerifyParams } & CallOptions): Promise<api.ConsoleEmailDomainsVerifyReply>;
    };
    environments: {
      /** What became of the packages that an environment names, on each machine. `GET /console/api/environments/{environment_id}/packages` */
      packages(input: { params: api.ConsoleEnvironmentsPackagesParams } & CallOptions): Promise<api.ConsoleEnvironmentsPackagesReply>;
      /** Connections of an environment's sandboxes that were refused, the last one first. `GET /console/api/environments/{environment_id}/refused_connections` */
      refused_connections(input: { params: api.ConsoleEnvironmentsRefusedConnectionsParams } & CallOptions): Promise<api.ConsoleEnvironmentsRefusedConnectionsReply>;
      work: {
        /** The same list for the console. `GET /console/api/environments/{environment_id}/work` */
        list(input: { params: api.ConsoleEnvironmentsWorkListParams; query?: api.ConsoleEnvironmentsWorkListQuery } & CallOptions): Promise<api.ConsoleEnvironmentsWorkListReply>;
        /** Queues a check that the next worker of the environment answers. `POST /console/api/environments/{environment_id}/work/check` */
        check(input: { params: api.ConsoleEnvironmentsWorkCheckParams } & CallOptions): Promise<api.ConsoleEnvironmentsWorkCheckReply>;
      };
    };
    federation_rules: {
      /** The newest tokens that a rule refused, and why. `GET /console/api/federation_rules/{federation_rule_id}/refusals` */
      refusals(input: { params: api.ConsoleFederationRulesRefusalsParams } & CallOptions): Promise<api.ConsoleFederationRulesRefusalsReply>;
      /** Shows for a token which checks of a rule it passes; makes none and uses up nothing. `POST /console/api/federation_rules/{federation_rule_id}/test` */
      test(input: { params: api.ConsoleFederationRulesTestParams; body: api.ConsoleFederationRulesTestBody } & CallOptions): Promise<api.ConsoleFederationRulesTestReply>;
    };
    files: {
      /** The bytes of a file, also of one that was uploaded. `GET /console/api/files/{file_id}/content` */
      content(input: { params: api.ConsoleFilesContentParams } & CallOptions): Promise<Response>;
    };
    identity_provider: {
      /** What the identity provider controls. `GET /console/api/identity_provider` */
      get(input?: CallOptions): Promise<api.ConsoleIdentityProviderGetReply>;
      /** Names the identity provider and says what it controls. `POST /console/api/identity_provider` */
      update(input?: { body?: api.ConsoleIdentityProviderUpdateBody } & CallOptions): Promise<api.ConsoleIdentityProviderUpdateReply>;
    };
    /** What the link of an invite is for. `POST /console/api/invite_link` */
    invite_link(input: { body: api.ConsoleInviteLinkBody } & CallOptions): Promise<api.ConsoleInviteLinkReply>;
    invites: {
      /** Lists invites, newest first, with what became of their mail. `GET /console/api/invites` */
      list(input?: { query?: api.ConsoleInvitesListQuery } & CallOptions): Promise<api.ConsoleInvitesListReply>;
      /** Invites somebody. The reply holds the link, which is never shown again. `POST /console/api/invites` */
      create(input: { body: api.ConsoleInvitesCreateBody } & CallOptions): Promise<api.ConsoleInvitesCreateReply>;
      /** Withdraws a pending invite; its seat comes back. `DELETE /console/api/invites/{invite_id}` */
      delete(input: { params: api.ConsoleInvitesDeleteParams } & CallOptions): Promise<api.ConsoleInvitesDeleteReply>;
      /** A new link of a pending invite; the one before is dead. `POST /console/api/invites/{invite_id}/link` */
      link(input: { params: api.ConsoleInvitesLinkParams } & CallOptions): Promise<api.ConsoleInvitesLinkReply>;
      /** Sends a pending invite again, with a new link. `POST /console/api/invites/{invite_id}/send` */
      send(input: { params: api.ConsoleInvitesSendParams } & CallOptions): Promise<api.ConsoleInvitesSendReply>;
    };
    keys: {
      /** Lists keys of every kind with their last use, newest first. `GET /console/api/keys` */
      list(input?: { query?: api.ConsoleKeysListQuery } & CallOptions): Promise<api.ConsoleKeysListReply>;
      /** Creates a key. The reply holds its secret, which is never shown again. `POST /console/api/keys` */
      create(input: { body: api.ConsoleKeysCreateBody } & CallOptions): Promise<api.ConsoleKeysCreateReply>;
      /** Renames a key, or deactivates, activates or archives it. `POST /console/api/keys/{key_id}` */
      update(input: { params: api.ConsoleKeysUpdateParams; body?: api.ConsoleKeysUpdateBody } & CallOptions): Promise<api.ConsoleKeysUpdateReply>;
    };
    mcp_connections: {
      /** What the sign-in is for with which a browser has come back. `POST /console/api/mcp_connections` */
      read(input: { body: api.ConsoleMcpConnectionsReadBody } & CallOptions): Promise<api.ConsoleMcpConnectionsReadReply>;
      /** Hands over what the authorization server answered, once. `POST /console/api/mcp_connections/answer` */
      answer(input: { body: api.ConsoleMcpConnectionsAnswerBody } & CallOptions): Promise<api.ConsoleMcpConnectionsAnswerReply>;
    };
    /** Who is signed in, and what they may do. `GET /console/api/me` */
    me(input?: CallOptions): Promise<api.ConsoleMeReply>;
    members: {
      /** What the viewer may do beside what is said of each member. `GET /console/api/member_acts` */
      acts(input?: CallOptions): Promise<api.ConsoleMembersActsReply>;
      /** Lists members, newest first, with what the viewer may do to each. `GET /console/api/organization_members` */
      list(input?: { query?: api.ConsoleMembersListQuery } & CallOptions): Promise<api.ConsoleMembersListReply>;
      /** One member, with the last use of their sign-ins and of the keys that they made. `GET /console/api/organization_members/{user_id}` */
      retrieve(input: { params: api.ConsoleMembersRetrieveParams } & CallOptions): Promise<api.ConsoleMembersRetrieveReply>;
      /** Removes a member whom the viewer stands above. `DELETE /console/api/organization_members/{user_id}` */
      delete(input: { params: api.ConsoleMembersDeleteParams } & CallOptions): Promise<api.ConsoleMembersDeleteReply>;
      /** Ends a member's sign-ins and access tokens. They may sign in again. `POST /console/api/organization_members/{user_id}/end_sign_ins` */
      end_sign_ins(input: { params: api.ConsoleMembersEndSignInsParams } & CallOptions): Promise<api.ConsoleMembersEndSignInsReply>;
      /** Changes the role of a member whom the viewer stands above. `POST /console/api/organization_members/{user_id}/role` */
      set_role(input: { params: api.ConsoleMembersSetRoleParams; body: api.ConsoleMembersSetRoleBody } & CallOptions): Promise<api.ConsoleMembersSetRoleReply>;
      /** Moves a member to a seat of another tier. `POST /console/api/organization_members/{user_id}/seat` */
      move_seat(input: { params: api.ConsoleMembersMoveSeatParams; body: api.ConsoleMembersMoveSeatBody } & CallOptions): Promise<api.ConsoleMembersMoveSeatReply>;
    };
    memory: {
      /** Full-text search over the live memories of a workspace. `GET /console/api/memory/search` */
      search(input: { query: api.ConsoleMemorySearchQuery } & CallOptions): Promise<api.ConsoleMemorySearchReply>;
    };
    models: {
      /** Every model with all of its settings, and what does not hold together. `GET /console/api/models` */
      list(input?: CallOptions): Promise<api.ConsoleModelsListReply>;
      /** Adds a model, or replaces one that was set in the console. `POST /console/api/models` */
      set(input: { body: api.ConsoleModelsSetBody } & CallOptions): Promise<api.ConsoleModelsSetReply>;
      /** Removes a model that was set in the console; one that it overrode is back. `DELETE /console/api/models/{model_id}` */
      delete(input: { params: api.ConsoleModelsDeleteParams } & CallOptions): Promise<void>;
    };
    /** Changes the viewer's own name. `POST /console/api/name` */
    rename(input: { body: api.ConsoleRenameBody } & CallOptions): Promise<api.ConsoleRenameReply>;
    objects: {
      /** Finds objects by an id or by words of their names, among all that the person may open. `GET /console/api/objects` */
      list(input: { query: api.ConsoleObjectsListQuery } & CallOptions): Promise<api.ConsoleObjectsListReply>;
    };
    /** What runs here, in numbers. `GET /console/api/overview` */
    overview(input?: CallOptions): Promise<api.ConsoleOverviewReply>;
    organizations: {
      /** What goes on: requests, spend, upstreams, who spends most, and what waits for a person. `GET /console/api/overview/day` */
      overview(input?: { query?: api.ConsoleOrganizationsOverviewQuery } & CallOptions): Promise<api.ConsoleOrganizationsOverviewReply>;
    };
    own_spend: {
      /** What whoever is signed in may spend, has spent, and asked for. `GET /console/api/own_spend` */
      retrieve(input?: CallOptions): Promise<api.ConsoleOwnSpendRetrieveReply>;
      /** Asks for a higher limit. `POST /console/api/own_spend/increase` */
      ask(input: { body: api.ConsoleOwnSpendAskBody } & CallOptions): Promise<api.ConsoleOwnSpendAskReply>;
    };
    ownership: {
      /** Makes another member the primary owner, and the viewer an owner. `POST /console/api/ownership` */
      transfer(input: { body: api.ConsoleOwnershipTransferBody } & CallOptions): Promise<api.ConsoleOwnershipTransferReply>;
    };
    /** What the browser needs to make a passkey. `POST /console/api/passkey_options` */
    passkey_options(input?: CallOptions): Promise<api.ConsolePasskeyOptionsReply>;
    /** Signs in with a passkey, alone or after the password. `POST /console/api/passkey_sign_in` */
    passkey_sign_in(input: { body: api.ConsolePasskeySignInBody } & CallOptions): Promise<api.ConsolePasskeySignInReply>;
    /** What to ask a passkey in order to sign in: any, or one of the person whose password was right. `POST /console/api/passkey_sign_in_options` */
    passkey_sign_in_options(input?: { body?: api.ConsolePasskeySignInOptionsBody } & CallOptions): Promise<api.ConsolePasskeySignInOptionsReply>;
    passkeys: {
      /** The person's passkeys, and their other ways in. `GET /console/api/passkeys` */
      list(input?: CallOptions): Promise<api.ConsolePasskeysListReply>;
      /** Registers the passkey that the browser has made. `POST /console/api/passkeys` */
      create(input: { body: api.ConsolePasskeysCreateBody } & CallOptions): Promise<api.ConsolePasskeysCreateReply>;
      /** Renames a passkey. `POST /console/api/passkeys/{passkey_id}` */
      update(input: { params: api.ConsolePasskeysUpdateParams; body: api.ConsolePasskeysUpdateBody } & CallOptions): Promise<api.ConsolePasskeysUpdateReply>;
      /** Removes a passkey; the last one takes the second step with it. `DELETE /console/api/passkeys/{passkey_id}` */
      delete(input: { params: api.ConsolePasskeysDeleteParams } & CallOptions): Promise<api.ConsolePasskeysDeleteReply>;
    };
    /** Changes the person's password and ends their other sign-ins. `POST /console/api/password` */
    password(input: { body: api.ConsolePasswordBody } & CallOptions): Promise<void>;
    /** The names of people, also of those who were removed. `GET /console/api/people` */
    people(input: { query: api.ConsolePeopleQuery } & CallOptions): Promise<api.ConsolePeopleReply>;
    program_sign_ins: {
      /** Lists the programs that may act in the person's name. `GET /console/api/program_sign_ins` */
      list(input?: CallOptions): Promise<api.ConsoleProgramSignInsListReply>;
      /** Ends the access of one of them. `DELETE /console/api/program_sign_ins/{program_sign_in_id}` */
      delete(input: { params: api.ConsoleProgramSignInsDeleteParams } & CallOptions): Promise<api.ConsoleProgramSignInsDeleteReply>;
    };
    prompts: {
      /** Lists the workspace's prompts, newest first. `GET /console/api/prompts` */
      list(input?: { query?: api.ConsolePromptsListQuery } & CallOptions): Promise<api.ConsolePromptsListReply>;
      /** Saves a message request under a name, for all of the workspace. `POST /console/api/prompts` */
      create(input: { body: api.ConsolePromptsCreateBody } & CallOptions): Promise<api.ConsolePromptsCreateReply>;
      /** Renames a prompt. `POST /console/api/prompts/{prompt_id}` */
      rename(input: { params: api.ConsolePromptsRenameParams; body: api.ConsolePromptsRenameBody } & CallOptions): Promise<api.ConsolePromptsRenameReply>;
      /** Deletes a prompt with all of its versions. `DELETE /console/api/prompts/{prompt_id}` */
      delete(input: { params: api.ConsolePromptsDeleteParams } & CallOptions): Promise<api.ConsolePromptsDeleteReply>;
      versions: {
        /** Lists the versions of a prompt, newest first, without their requests. `GET /console/api/prompts/{prompt_id}/versions` */
        list(input: { params: api.ConsolePromptsVersionsListParams; query?: api.ConsolePromptsVersionsListQuery } & CallOptions): Promise<api.ConsolePromptsVersionsListReply>;
        /** Saves the next version of a prompt. `POST /console/api/prompts/{prompt_id}/versions` */
        create(input: { params: api.ConsolePromptsVersionsCreateParams; body: api.ConsolePromptsVersionsCreateBody } & CallOptions): Promise<api.ConsolePromptsVersionsCreateReply>;
        /** One version of a prompt, with its request. `GET /console/api/prompts/{prompt_id}/versions/{version}` */
        retrieve(input: { params: api.ConsolePromptsVersionsRetrieveParams } & CallOptions): Promise<api.ConsolePromptsVersionsRetrieveReply>;
      };
    };
    /** Proves with the password or a passkey who sits at the browser, for ten minutes. `POST /console/api/proof` */
    prove(input?: { body?: api.ConsoleProveBody } & CallOptions): Promise<void>;
    /** What to ask a passkey in order to prove who sits at the browser. `POST /console/api/proof_options` */
    proof_options(input?: CallOptions): Promise<api.ConsoleProofOptionsReply>;
    rate_limits: {
      /** Rate limits of the organization, or of one workspace, for each group of models. `GET /console/api/rate_limits` */
      list(input?: { query?: api.ConsoleRateLimitsListQuery } & CallOptions): Promise<api.ConsoleRateLimitsListReply>;
      /** Sets rate limits of one group of models, or takes away what was set. `POST /console/api/rate_limits` */
      set(input: { body: api.ConsoleRateLimitsSetBody } & CallOptions): Promise<api.ConsoleRateLimitsSetReply>;
    };
    rbac_roles: {
      /** Every action that a role can hold, in words. `GET /console/api/rbac_actions` */
      actions(input?: CallOptions): Promise<api.ConsoleRbacRolesActionsReply>;
      /** Every role with what it holds. `GET /console/api/rbac_roles` */
      list(input?: CallOptions): Promise<api.ConsoleRbacRolesListReply>;
      /** Makes a role. `POST /console/api/rbac_roles` */
      create(input: { body: api.ConsoleRbacRolesCreateBody } & CallOptions): Promise<api.ConsoleRbacRolesCreateReply>;
      /** Changes a role; whoever has it has at once what it holds. `POST /console/api/rbac_roles/{rbac_role_id}` */
      update(input: { params: api.ConsoleRbacRolesUpdateParams; body?: api.ConsoleRbacRolesUpdateBody } & CallOptions): Promise<api.ConsoleRbacRolesUpdateReply>;
      /** Deletes a role that no group has. `DELETE /console/api/rbac_roles/{rbac_role_id}` */
      delete(input: { params: api.ConsoleRbacRolesDeleteParams } & CallOptions): Promise<api.ConsoleRbacRolesDeleteReply>;
      /** The newest groups that have a role. `GET /console/api/rbac_roles/{rbac_role_id}/groups` */
      holders(input: { params: api.ConsoleRbacRolesHoldersParams } & CallOptions): Promise<api.ConsoleRbacRolesHoldersReply>;
    };
    rbac_groups: {
      /** One group, and which identity provider controls it. `GET /console/api/rbac_groups/{rbac_group_id}` */
      retrieve(input: { params: api.ConsoleRbacGroupsRetrieveParams } & CallOptions): Promise<api.ConsoleRbacGroupsRetrieveReply>;
      members: {
        /** Lists the members of a group with their names. `GET /console/api/rbac_groups/{rbac_group_id}/members` */
        list(input: { params: api.ConsoleRbacGroupsMembersListParams; query?: api.ConsoleRbacGroupsMembersListQuery } & CallOptions): Promise<api.ConsoleRbacGroupsMembersListReply>;
      };
      /** Sets which roles a group has. `POST /console/api/rbac_groups/{rbac_group_id}/roles` */
      set_roles(input: { params: api.ConsoleRbacGroupsSetRolesParams; body: api.ConsoleRbacGroupsSetRolesBody } & CallOptions): Promise<api.ConsoleRbacGroupsSetRolesReply>;
    };
    requests: {
      /** The request log as JSON lines or CSV, newest first, as far as the filters take it. `GET /console/api/requests/export` */
      export(input: { query: api.ConsoleRequestsExportQuery } & CallOptions): Promise<Response>;
    };
    sandboxes: {
      /** How sandboxes are made on this machine, and what they hold. `GET /console/api/sandboxes` */
      retrieve(input?: CallOptions): Promise<api.ConsoleSandboxesRetrieveReply>;
    };
    scim: {
      /** Where the identity provider pushes to, and what it has pushed. `GET /console/api/scim` */
      get(input?: CallOptions): Promise<api.ConsoleScimGetReply>;
      requests: {
        /** The last requests of the identity provider, newest first. `GET /console/api/scim/requests` */
        list(input?: CallOptions): Promise<api.ConsoleScimRequestsListReply>;
      };
      tokens: {
        /** The tokens of the identity provider. `GET /console/api/scim/tokens` */
        list(input?: CallOptions): Promise<api.ConsoleScimTokensListReply>;
        /** Makes a token of SCIM. The reply holds its secret, which is never shown again. `POST /console/api/scim/tokens` */
        create(input: { body: api.ConsoleScimTokensCreateBody } & CallOptions): Promise<api.ConsoleScimTokensCreateReply>;
        /** Revokes a token of SCIM: at once, everywhere. `DELETE /console/api/scim/tokens/{token_id}` */
        delete(input: { params: api.ConsoleScimTokensDeleteParams } & CallOptions): Promise<api.ConsoleScimTokensDeleteReply>;
      };
    };
    seats: {
      /** The pool of seats: its tiers, lowest first, and how many are held. `GET /console/api/seats` */
      list(input?: CallOptions): Promise<api.ConsoleSeatsListReply>;
      /** Sets the pool of seats, whole; without tiers seats are not counted. `POST /console/api/seats` */
      set(input: { body: api.ConsoleSeatsSetBody } & CallOptions): Promise<api.ConsoleSeatsSetReply>;
    };
    /** Whether a passkey is asked for after the password. `POST /console/api/second_step` */
    second_step(input: { body: api.ConsoleSecondStepBody } & CallOptions): Promise<api.ConsoleSecondStepReply>;
    sessions: {
      /** Sessions in which calls wait for a person, newest first, with those calls. `GET /console/api/sessions/waiting` */
      waiting(input?: { query?: api.ConsoleSessionsWaitingQuery } & CallOptions): Promise<api.ConsoleSessionsWaitingReply>;
      files: {
        /** The files in a directory of a session's sandbox, `/workspace` where none is named. `GET /console/api/sessions/{session_id}/files` */
        list(input: { params: api.ConsoleSessionsFilesListParams; query?: api.ConsoleSessionsFilesListQuery } & CallOptions): Promise<api.ConsoleSessionsFilesListReply>;
        /** The bytes of a file in a session's sandbox. `GET /console/api/sessions/{session_id}/files/content` */
        content(input: { params: api.ConsoleSessionsFilesContentParams; query: api.ConsoleSessionsFilesContentQuery } & CallOptions): Promise<Response>;
      };
      /** What the agent of a session was told of its mounts, newest first. `GET /console/api/sessions/{session_id}/mount_notes` */
      mount_notes(input: { params: api.ConsoleSessionsMountNotesParams } & CallOptions): Promise<api.ConsoleSessionsMountNotesReply>;
      /** Connections of a session's sandbox that were refused, the last one first. `GET /console/api/sessions/{session_id}/refused_connections` */
      refused_connections(input: { params: api.ConsoleSessionsRefusedConnectionsParams } & CallOptions): Promise<api.ConsoleSessionsRefusedConnectionsReply>;
    };
    /** Uses a set-up link: sets the owner's password and signs in. `POST /console/api/setup` */
    setup(input: { body: api.ConsoleSetupBody } & CallOptions): Promise<api.ConsoleSetupReply>;
    /** What a set-up link is for. `POST /console/api/setup_link` */
    setup_link(input: { body: api.ConsoleSetupLinkBody } & CallOptions): Promise<api.ConsoleSetupLinkReply>;
    setup_links: {
      /** Makes a set-up link for a member who has lost their ways in. `POST /console/api/setup_links/{user_id}` */
      create(input: { params: api.ConsoleSetupLinksCreateParams } & CallOptions): Promise<api.ConsoleSetupLinksCreateReply>;
    };
    /** Signs in with e-mail and password. `POST /console/api/sign_in` */
    sign_in(input: { body: api.ConsoleSignInBody } & CallOptions): Promise<api.ConsoleSignInReply>;
    /** How people sign in, and who keeps a way past single sign-on. `GET /console/api/sign_in_methods` */
    sign_in_methods(input?: CallOptions): Promise<api.ConsoleSignInMethodsReply>;
    sign_ins: {
      /** Lists the browsers that the person is signed in with. `GET /console/api/sign_ins` */
      list(input?: CallOptions): Promise<api.ConsoleSignInsListReply>;
      /** Ends one of the person's sign-ins. `DELETE /console/api/sign_ins/{sign_in_id}` */
      delete(input: { params: api.ConsoleSignInsDeleteParams } & CallOptions): Promise<api.ConsoleSignInsDeleteReply>;
    };
    /** Ends this sign-in. `POST /console/api/sign_out` */
    sign_out(input?: CallOptions): Promise<void>;
    /** Ends every sign-in of the person. `POST /console/api/sign_out_everywhere` */
    sign_out_everywhere(input?: CallOptions): Promise<api.ConsoleSignOutEverywhereReply>;
    single_sign_on: {
      /** The connection to the identity provider, and what the provider must be told. `GET /console/api/single_sign_on` */
      read(input?: CallOptions): Promise<api.ConsoleSingleSignOnReadReply>;
      /** Sets the connection to the identity provider. `POST /console/api/single_sign_on` */
      set(input: { body: api.ConsoleSingleSignOnSetBody } & CallOptions): Promise<api.ConsoleSingleSignOnSetReply>;
      /** Removes the connection to the identity provider. `DELETE /console/api/single_sign_on` */
      delete(input?: CallOptions): Promise<void>;
      /** Which identity provider an e-mail, or an organization's own address, leads to. `POST /console/api/single_sign_on/find` */
      find(input?: { body?: api.ConsoleSingleSignOnFindBody } & CallOptions): Promise<api.ConsoleSingleSignOnFindReply>;
      /** Says which member somebody at the provider is. `POST /console/api/single_sign_on/links` */
      link(input: { body: api.ConsoleSingleSignOnLinkBody } & CallOptions): Promise<api.ConsoleSingleSignOnLinkReply>;
      /** Ends the link of a member to their account at the provider. `DELETE /console/api/single_sign_on/links/{user_id}` */
      unlink(input: { params: api.ConsoleSingleSignOnUnlinkParams } & CallOptions): Promise<api.ConsoleSingleSignOnUnlinkReply>;
      /** People whom the provider sent and who were not let in, newest first. `GET /console/api/single_sign_on/strangers` */
      strangers(input?: CallOptions): Promise<api.ConsoleSingleSignOnStrangersReply>;
      /** Switches single sign-on on or off, or requires it. `POST /console/api/single_sign_on/switch` */
      switch(input?: { body?: api.ConsoleSingleSignOnSwitchBody } & CallOptions): Promise<api.ConsoleSingleSignOnSwitchReply>;
      /** Begins a test of the connection: the way to the provider, without a sign-in at its end. `POST /console/api/single_sign_on/test` */
      test(input?: CallOptions): Promise<api.ConsoleSingleSignOnTestReply>;
    };
    spend_limit_increase_requests: {
      /** Members who asked for more, newest first. `GET /console/api/spend_limit_increase_requests` */
      list(input?: { query?: api.ConsoleSpendLimitIncreaseRequestsListQuery } & CallOptions): Promise<api.ConsoleSpendLimitIncreaseRequestsListReply>;
      /** One who asked for more. `GET /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}` */
      retrieve(input: { params: api.ConsoleSpendLimitIncreaseRequestsRetrieveParams } & CallOptions): Promise<api.ConsoleSpendLimitIncreaseRequestsRetrieveReply>;
      /** Sets the member's limit and ends the request. `POST /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}/approve` */
      approve(input: { params: api.ConsoleSpendLimitIncreaseRequestsApproveParams; body: api.ConsoleSpendLimitIncreaseRequestsApproveBody } & CallOptions): Promise<api.ConsoleSpendLimitIncreaseRequestsApproveReply>;
      /** Ends the request; the limit stays. `POST /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}/deny` */
      deny(input: { params: api.ConsoleSpendLimitIncreaseRequestsDenyParams; body?: api.ConsoleSpendLimitIncreaseRequestsDenyBody } & CallOptions): Promise<api.ConsoleSpendLimitIncreaseRequestsDenyReply>;
    };
    spend_limits: {
      /** Spend limits of the organization and its workspaces, with what is spent this month. `GET /console/api/spend_limits` */
      list(input?: CallOptions): Promise<api.ConsoleSpendLimitsListReply>;
      /** Sets the monthly spend limit of the organization or of a workspace. `POST /console/api/spend_limits` */
      set(input: { body: api.ConsoleSpendLimitsSetBody } & CallOptions): Promise<api.ConsoleSpendLimitsSetReply>;
      /** What each member may spend, and has spent, by period. `GET /console/api/spend_limits/effective` */
      effective(input?: { query?: api.ConsoleSpendLimitsEffectiveQuery } & CallOptions): Promise<api.ConsoleSpendLimitsEffectiveReply>;
      /** Takes a spend limit away. `DELETE /console/api/spend_limits/{scope_id}` */
      delete(input: { params: api.ConsoleSpendLimitsDeleteParams } & CallOptions): Promise<void>;
    };
    upstreams: {
      /** Where models are asked, without keys. `GET /console/api/upstreams` */
      list(input?: CallOptions): Promise<api.ConsoleUpstreamsListReply>;
      /** Adds an upstream or changes it. A key and headers that are left out stay. `POST /console/api/upstreams` */
      set(input: { body: api.ConsoleUpstreamsSetBody } & CallOptions): Promise<api.ConsoleUpstreamsSetReply>;
      /** How each upstream fares, over all processes of this server. `GET /console/api/upstreams/health` */
      health(input?: CallOptions): Promise<api.ConsoleUpstreamsHealthReply>;
      /** Asks an upstream, or an address that may become one, what it speaks and which models it has. `POST /console/api/upstreams/test` */
      test(input?: { body?: api.ConsoleUpstreamsTestBody } & CallOptions): Promise<api.ConsoleUpstreamsTestReply>;
      /** Removes an upstream that was set in the console and that no model names. `DELETE /console/api/upstreams/{upstream_name}` */
      delete(input: { params: api.ConsoleUpstreamsDeleteParams } & CallOptions): Promise<void>;
    };
    user_spend_limits: {
      /** Sets the spend limit of a member. `POST /console/api/user_spend_limits` */
      set(input: { body: api.ConsoleUserSpendLimitsSetBody } & CallOptions): Promise<api.ConsoleUserSpendLimitsSetReply>;
      /** Takes the spend limit of a member away. `DELETE /console/api/user_spend_limits/{spend_limit_id}` */
      delete(input: { params: api.ConsoleUserSpendLimitsDeleteParams } & CallOptions): Promise<api.ConsoleUserSpendLimitsDeleteReply>;
    };
    webhooks: {
      /** The newest deliveries to a webhook endpoint, and how they went. `GET /console/api/webhooks/{webhook_endpoint_id}/deliveries` */
      deliveries(input: { params: api.ConsoleWebhooksDeliveriesParams } & CallOptions): Promise<api.ConsoleWebhooksDeliveriesReply>;
      /** Sends the event of a delivery again, under the same id. `POST /console/api/webhooks/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay` */
      replay(input: { params: api.ConsoleWebhooksReplayParams } & CallOptions): Promise<api.ConsoleWebhooksReplayReply>;
      /** Sends a test event to a webhook endpoint, signed and repeated as any other. `POST /console/api/webhooks/{webhook_endpoint_id}/test` */
      test(input: { params: api.ConsoleWebhooksTestParams; body?: api.ConsoleWebhooksTestBody } & CallOptions): Promise<api.ConsoleWebhooksTestReply>;
    };
    workspaces: {
      /** Lists the organization's workspaces, newest first. `GET /console/api/workspaces` */
      list(input?: { query?: api.ConsoleWorkspacesListQuery } & CallOptions): Promise<api.ConsoleWorkspacesListReply>;
      /** Makes a workspace. `POST /console/api/workspaces` */
      create(input: { body: api.ConsoleWorkspacesCreateBody } & CallOptions): Promise<api.ConsoleWorkspacesCreateReply>;
      /** One workspace. `GET /console/api/workspaces/{workspace_id}` */
      retrieve(input: { params: api.ConsoleWorkspacesRetrieveParams } & CallOptions): Promise<api.ConsoleWorkspacesRetrieveReply>;
      /** Changes name, colour, tags or data residency of a workspace. `POST /console/api/workspaces/{workspace_id}` */
      update(input: { params: api.ConsoleWorkspacesUpdateParams; body?: api.ConsoleWorkspacesUpdateBody } & CallOptions): Promise<api.ConsoleWorkspacesUpdateReply>;
      /** Archives a workspace for ever, and with it its keys. `POST /console/api/workspaces/{workspace_id}/archive` */
      archive(input: { params: api.ConsoleWorkspacesArchiveParams } & CallOptions): Promise<api.ConsoleWorkspacesArchiveReply>;
      /** Members of the organization who could be added, by the beginning of their e-mail. `GET /console/api/workspaces/{workspace_id}/candidates` */
      candidates(input: { params: api.ConsoleWorkspacesCandidatesParams; query?: api.ConsoleWorkspacesCandidatesQuery } & CallOptions): Promise<api.ConsoleWorkspacesCandidatesReply>;
      members: {
        /** Lists the members of a workspace by name, those newest in the organization first. `GET /console/api/workspaces/{workspace_id}/members` */
        list(input: { params: api.ConsoleWorkspacesMembersListParams; query?: api.ConsoleWorkspacesMembersListQuery } & CallOptions): Promise<api.ConsoleWorkspacesMembersListReply>;
        /** Adds a member of the organization to a workspace. `POST /console/api/workspaces/{workspace_id}/members` */
        add(input: { params: api.ConsoleWorkspacesMembersAddParams; body: api.ConsoleWorkspacesMembersAddBody } & CallOptions): Promise<api.ConsoleWorkspacesMembersAddReply>;
        /** Changes the role of a member of a workspace. `POST /console/api/workspaces/{workspace_id}/members/{user_id}` */
        update(input: { params: api.ConsoleWorkspacesMembersUpdateParams; body: api.ConsoleWorkspacesMembersUpdateBody } & CallOptions): Promise<api.ConsoleWorkspacesMembersUpdateReply>;
        /** Removes a member from a workspace. `DELETE /console/api/workspaces/{workspace_id}/members/{user_id}` */
        remove(input: { params: api.ConsoleWorkspacesMembersRemoveParams } & CallOptions): Promise<api.ConsoleWorkspacesMembersRemoveReply>;
      };
      request_bodies: {
        /** Whether a workspace keeps what is said in its requests, and what it takes out. `GET /console/api/workspaces/{workspace_id}/request_bodies` */
        retrieve(input: { params: api.ConsoleWorkspacesRequestBodiesRetrieveParams } & CallOptions): Promise<api.ConsoleWorkspacesRequestBodiesRetrieveReply>;
        /** Has a workspace keep what is said in its requests, or keep it no more. `POST /console/api/workspaces/{workspace_id}/request_bodies` */
        update(input: { params: api.ConsoleWorkspacesRequestBodiesUpdateParams; body?: api.ConsoleWorkspacesRequestBodiesUpdateBody } & CallOptions): Promise<api.ConsoleWorkspacesRequestBodiesUpdateReply>;
        /** Deletes all that a workspace has kept of its requests. `DELETE /console/api/workspaces/{workspace_id}/request_bodies` */
        delete(input: { params: api.ConsoleWorkspacesRequestBodiesDeleteParams } & CallOptions): Promise<api.ConsoleWorkspacesRequestBodiesDeleteReply>;
      };
      /** The spend limit of a workspace, with what is spent this month. `GET /console/api/workspaces/{workspace_id}/spend` */
      spend(input: { params: api.ConsoleWorkspacesSpendParams } & CallOptions): Promise<api.ConsoleWorkspacesSpendReply>;
    };
  };
  operations: {
    /** Whether the process answers. `GET /healthz` */
    health(input?: CallOptions): Promise<api.OperationsHealthReply>;
    /** Prometheus metrics over all processes of this server. `GET /metrics` */
    metrics(input?: CallOptions): Promise<string>;
    /** Whether the process may be sent requests: its database answers. `GET /readyz` */
    ready(input?: CallOptions): Promise<api.OperationsReadyReply>;
  };
  documents: {
    /** The whole API as an OpenAPI 3.1 document. `GET /openapi.json` */
    openapi(input?: CallOptions): Promise<api.DocumentsOpenapiReply>;
  };
  agents: {
    /** Lists the workspace's agents, newest first, each at its newest version. `GET /v1/agents` */
    list(input?: { query?: api.AgentsListQuery } & CallOptions): Promise<api.AgentsListReply>;
    /** Makes an agent, at version 1. `POST /v1/agents` */
    create(input: { body: api.AgentsCreateBody } & CallOptions): Promise<api.AgentsCreateReply>;
    /** One agent, at its newest version or at the one that is named. `GET /v1/agents/{agent_id}` */
    retrieve(input: { params: api.AgentsRetrieveParams; query?: api.AgentsRetrieveQuery } & CallOptions): Promise<api.AgentsRetrieveReply>;
    /** Changes what is named of an agent, which makes its next version. `POST /v1/agents/{agent_id}` */
    update(input: { params: api.AgentsUpdateParams; body?: api.AgentsUpdateBody } & CallOptions): Promise<api.AgentsUpdateReply>;
    /** Closes an agent for ever: it can be read, and no longer changed or used. `POST /v1/agents/{agent_id}/archive` */
    archive(input: { params: api.AgentsArchiveParams } & CallOptions): Promise<api.AgentsArchiveReply>;
    versions: {
      /** Lists the versions of an agent, newest first. `GET /v1/agents/{agent_id}/versions` */
      list(input: { params: api.AgentsVersionsListParams; query?: api.AgentsVersionsListQuery } & CallOptions): Promise<api.AgentsVersionsListReply>;
    };
  };
  credential: {
    /** What this key or token is, whose, and what it may do. `GET /v1/credential` */
    retrieve(input?: CallOptions): Promise<api.CredentialRetrieveReply>;
  };
  deployment_runs: {
    /** Lists the runs of the workspace's deployments, newest first. `GET /v1/deployment_runs` */
    list(input?: { query?: api.DeploymentRunsListQuery } & CallOptions): Promise<api.DeploymentRunsListReply>;
    /** One run: the session that it began, or why it began none. `GET /v1/deployment_runs/{deployment_run_id}` */
    retrieve(input: { params: api.DeploymentRunsRetrieveParams } & CallOptions): Promise<api.DeploymentRunsRetrieveReply>;
  };
  deployments: {
    /** Lists the workspace's deployments, newest first. `GET /v1/deployments` */
    list(input?: { query?: api.DeploymentsListQuery } & CallOptions): Promise<api.DeploymentsListReply>;
    /** Makes a deployment: what its sessions begin with, and by which schedule. `POST /v1/deployments` */
    create(input: { body: api.DeploymentsCreateBody } & CallOptions): Promise<api.DeploymentsCreateReply>;
    /** One deployment, with when it runs next. `GET /v1/deployments/{deployment_id}` */
    retrieve(input: { params: api.DeploymentsRetrieveParams } & CallOptions): Promise<api.DeploymentsRetrieveReply>;
    /** Changes what is named of a deployment, for the sessions that it begins from then on. `POST /v1/deployments/{deployment_id}` */
    update(input: { params: api.DeploymentsUpdateParams; body?: api.DeploymentsUpdateBody } & CallOptions): Promise<api.DeploymentsUpdateReply>;
    /** Ends a deployment for good; it can be read as before. `POST /v1/deployments/{deployment_id}/archive` */
    archive(input: { params: api.DeploymentsArchiveParams } & CallOptions): Promise<api.DeploymentsArchiveReply>;
    /** Holds the schedule of a deployment; by hand it still runs. `POST /v1/deployments/{deployment_id}/pause` */
    pause(input: { params: api.DeploymentsPauseParams } & CallOptions): Promise<api.DeploymentsPauseReply>;
    /** Begins a session now, also while the deployment is paused; answers the run. `POST /v1/deployments/{deployment_id}/run` */
    run(input: { params: api.DeploymentsRunParams } & CallOptions): Promise<api.DeploymentsRunReply>;
    /** Lets the schedule go on with its next occurrence. `POST /v1/deployments/{deployment_id}/unpause` */
    unpause(input: { params: api.DeploymentsUnpauseParams } & CallOptions): Promise<api.DeploymentsUnpauseReply>;
  };
  environments: {
    /** Lists the workspace's environments, newest first. `GET /v1/environments` */
    list(input?: { query?: api.EnvironmentsListQuery } & CallOptions): Promise<api.EnvironmentsListReply>;
    /** Makes an environment, in which sessions run their tools. `POST /v1/environments` */
    create(input: { body: api.EnvironmentsCreateBody } & CallOptions): Promise<api.EnvironmentsCreateReply>;
    /** One environment. `GET /v1/environments/{environment_id}` */
    retrieve(input: { params: api.EnvironmentsRetrieveParams } & CallOptions): Promise<api.EnvironmentsRetrieveReply>;
    /** Changes what is named of an environment; its type stays. `POST /v1/environments/{environment_id}` */
    update(input: { params: api.EnvironmentsUpdateParams; body?: api.EnvironmentsUpdateBody } & CallOptions): Promise<api.EnvironmentsUpdateReply>;
    /** Deletes an environment with its keys. `DELETE /v1/environments/{environment_id}` */
    delete(input: { params: api.EnvironmentsDeleteParams } & CallOptions): Promise<api.EnvironmentsDeleteReply>;
    /** Closes an environment for ever: no session begins in it. `POST /v1/environments/{environment_id}/archive` */
    archive(input: { params: api.EnvironmentsArchiveParams } & CallOptions): Promise<api.EnvironmentsArchiveReply>;
    /** Queues a check that the next worker of the environment answers; one that waits stays. `POST /v1/environments/{environment_id}/check` */
    check(input: { params: api.EnvironmentsCheckParams } & CallOptions): Promise<api.EnvironmentsCheckReply>;
    keys: {
      /** Lists the keys of an environment, newest first, with those that are revoked. `GET /v1/environments/{environment_id}/keys` */
      list(input: { params: api.EnvironmentsKeysListParams; query?: api.EnvironmentsKeysListQuery } & CallOptions): Promise<api.EnvironmentsKeysListReply>;
      /** Makes a key for the workers of a self-hosted environment; its secret is in this reply alone. `POST /v1/environments/{environment_id}/keys` */
      create(input: { params: api.EnvironmentsKeysCreateParams; body?: api.EnvironmentsKeysCreateBody } & CallOptions): Promise<api.EnvironmentsKeysCreateReply>;
      /** Ends a key of an environment for ever, in every process within a second. `POST /v1/environments/{environment_id}/keys/{environment_key_id}/revoke` */
      revoke(input: { params: api.EnvironmentsKeysRevokeParams } & CallOptions): Promise<api.EnvironmentsKeysRevokeReply>;
    };
    work: {
      /** Lists the work of an environment, newest first: that of the last days too. `GET /v1/environments/{environment_id}/work` */
      list(input: { params: api.EnvironmentsWorkListParams; query?: api.EnvironmentsWorkListQuery } & CallOptions): Promise<api.EnvironmentsWorkListReply>;
      /** Hands the oldest work out to a worker; 204 where there is none. `GET /v1/environments/{environment_id}/work/poll` */
      poll(input: { params: api.EnvironmentsWorkPollParams; query?: api.EnvironmentsWorkPollQuery } & CallOptions): Promise<api.EnvironmentsWorkPollReply>;
      /** How many wait for a worker, since when, and how many workers poll. `GET /v1/environments/{environment_id}/work/stats` */
      stats(input: { params: api.EnvironmentsWorkStatsParams } & CallOptions): Promise<api.EnvironmentsWorkStatsReply>;
      /** One piece of work. `GET /v1/environments/{environment_id}/work/{work_id}` */
      retrieve(input: { params: api.EnvironmentsWorkRetrieveParams } & CallOptions): Promise<api.EnvironmentsWorkRetrieveReply>;
      /** Changes the metadata of work. `POST /v1/environments/{environment_id}/work/{work_id}` */
      update(input: { params: api.EnvironmentsWorkUpdateParams; body?: api.EnvironmentsWorkUpdateBody } & CallOptions): Promise<api.EnvironmentsWorkUpdateReply>;
      /** A worker has taken work: it is off the queue. `POST /v1/environments/{environment_id}/work/{work_id}/ack` */
      ack(input: { params: api.EnvironmentsWorkAckParams } & CallOptions): Promise<api.EnvironmentsWorkAckReply>;
      /** A worker still works on it; 412 where another one may hold it. `POST /v1/environments/{environment_id}/work/{work_id}/heartbeat` */
      heartbeat(input: { params: api.EnvironmentsWorkHeartbeatParams; query?: api.EnvironmentsWorkHeartbeatQuery } & CallOptions): Promise<api.EnvironmentsWorkHeartbeatReply>;
      /** Stops work: its worker is told to end it, or with force it is over at once. `POST /v1/environments/{environment_id}/work/{work_id}/stop` */
      stop(input: { params: api.EnvironmentsWorkStopParams; body?: api.EnvironmentsWorkStopBody } & CallOptions): Promise<api.EnvironmentsWorkStopReply>;
    };
  };
  files: {
    /** Lists the workspace's files, newest first. `GET /v1/files` */
    list(input?: { query?: api.FilesListQuery } & CallOptions): Promise<api.FilesListReply>;
    /** Takes in a file of up to 500 MB, which messages may then name. `POST /v1/files` */
    upload(input: { body: FormData | FormBytes } & CallOptions): Promise<api.FilesUploadReply>;
    /** What is known of a file. `GET /v1/files/{file_id}` */
    retrieve_metadata(input: { params: api.FilesRetrieveMetadataParams } & CallOptions): Promise<api.FilesRetrieveMetadataReply>;
    /** Deletes a file with its bytes. `DELETE /v1/files/{file_id}` */
    delete(input: { params: api.FilesDeleteParams } & CallOptions): Promise<api.FilesDeleteReply>;
    /** The bytes of a file that a tool made. `GET /v1/files/{file_id}/content` */
    download(input: { params: api.FilesDownloadParams } & CallOptions): Promise<Response>;
  };
  mcp_servers: {
    /** Lists the workspace's MCP servers, newest first. `GET /v1/mcp_servers` */
    list(input?: { query?: api.McpServersListQuery } & CallOptions): Promise<api.McpServersListReply>;
    /** Adds an MCP server to the workspace. `POST /v1/mcp_servers` */
    create(input: { body: api.McpServersCreateBody } & CallOptions): Promise<api.McpServersCreateReply>;
    /** One MCP server, with what it was when it was asked last. `GET /v1/mcp_servers/{mcp_server_id}` */
    retrieve(input: { params: api.McpServersRetrieveParams } & CallOptions): Promise<api.McpServersRetrieveReply>;
    /** Changes what is named of an MCP server. `POST /v1/mcp_servers/{mcp_server_id}` */
    update(input: { params: api.McpServersUpdateParams; body?: api.McpServersUpdateBody } & CallOptions): Promise<api.McpServersUpdateReply>;
    /** Takes an MCP server off the workspace; agents that name its address keep it. `DELETE /v1/mcp_servers/{mcp_server_id}` */
    delete(input: { params: api.McpServersDeleteParams } & CallOptions): Promise<api.McpServersDeleteReply>;
    /** Calls a tool of an MCP server once. `POST /v1/mcp_servers/{mcp_server_id}/call` */
    call(input: { params: api.McpServersCallParams; body: api.McpServersCallBody } & CallOptions): Promise<api.McpServersCallReply>;
    /** Begins a sign-in at an MCP server's authorization server, whose token goes into a vault. `POST /v1/mcp_servers/{mcp_server_id}/connect` */
    connect(input: { params: api.McpServersConnectParams; body?: api.McpServersConnectBody } & CallOptions): Promise<api.McpServersConnectReply>;
    /** Finishes it where the browser has come back, for the caller who began it. `POST /v1/mcp_servers/{mcp_server_id}/connect/{connection_id}` */
    finish_connection(input: { params: api.McpServersFinishConnectionParams } & CallOptions): Promise<api.McpServersFinishConnectionReply>;
    /** Reads the page on which what a tool of an MCP server answers is shown. `POST /v1/mcp_servers/{mcp_server_id}/page` */
    page(input: { params: api.McpServersPageParams; body: api.McpServersPageBody } & CallOptions): Promise<api.McpServersPageReply>;
    /** Asks an MCP server now which tools it has, and says what has changed. `POST /v1/mcp_servers/{mcp_server_id}/tools` */
    tools(input: { params: api.McpServersToolsParams } & CallOptions): Promise<api.McpServersToolsReply>;
  };
  memory_stores: {
    /** Lists the workspace's memory stores, newest first. `GET /v1/memory_stores` */
    list(input?: { query?: api.MemoryStoresListQuery } & CallOptions): Promise<api.MemoryStoresListReply>;
    /** Makes a memory store. `POST /v1/memory_stores` */
    create(input: { body: api.MemoryStoresCreateBody } & CallOptions): Promise<api.MemoryStoresCreateReply>;
    /** Makes a memory store of a tar: of an export with its history, else of its files. `POST /v1/memory_stores/import` */
    import(input: { query?: api.MemoryStoresImportQuery; body: Bytes } & CallOptions): Promise<api.MemoryStoresImportReply>;
    /** One memory store. `GET /v1/memory_stores/{memory_store_id}` */
    retrieve(input: { params: api.MemoryStoresRetrieveParams } & CallOptions): Promise<api.MemoryStoresRetrieveReply>;
    /** Changes name, description or metadata of a memory store. `POST /v1/memory_stores/{memory_store_id}` */
    update(input: { params: api.MemoryStoresUpdateParams; body?: api.MemoryStoresUpdateBody } & CallOptions): Promise<api.MemoryStoresUpdateReply>;
    /** Deletes a memory store with its memories and all their versions. `DELETE /v1/memory_stores/{memory_store_id}` */
    delete(input: { params: api.MemoryStoresDeleteParams } & CallOptions): Promise<api.MemoryStoresDeleteReply>;
    /** Closes a memory store for ever: it can be read, redacted and deleted. `POST /v1/memory_stores/{memory_store_id}/archive` */
    archive(input: { params: api.MemoryStoresArchiveParams } & CallOptions): Promise<api.MemoryStoresArchiveReply>;
    /** A tar of a memory store: its history, and its memories as plain files. `GET /v1/memory_stores/{memory_store_id}/export` */
    export(input: { params: api.MemoryStoresExportParams } & CallOptions): Promise<Response>;
    memories: {
      /** Lists memories by path; with depth 1, what lies deeper is rolled up by folder. `GET /v1/memory_stores/{memory_store_id}/memories` */
      list(input: { params: api.MemoryStoresMemoriesListParams; query?: api.MemoryStoresMemoriesListQuery } & CallOptions): Promise<api.MemoryStoresMemoriesListReply>;
      /** Writes a text to a path that is free. `POST /v1/memory_stores/{memory_store_id}/memories` */
      create(input: { params: api.MemoryStoresMemoriesCreateParams; query?: api.MemoryStoresMemoriesCreateQuery; body: api.MemoryStoresMemoriesCreateBody } & CallOptions): Promise<api.MemoryStoresMemoriesCreateReply>;
      /** One memory, with its text. `GET /v1/memory_stores/{memory_store_id}/memories/{memory_id}` */
      retrieve(input: { params: api.MemoryStoresMemoriesRetrieveParams; query?: api.MemoryStoresMemoriesRetrieveQuery } & CallOptions): Promise<api.MemoryStoresMemoriesRetrieveReply>;
      /** Changes a memory's text, its path, or both. `POST /v1/memory_stores/{memory_store_id}/memories/{memory_id}` */
      update(input: { params: api.MemoryStoresMemoriesUpdateParams; query?: api.MemoryStoresMemoriesUpdateQuery; body?: api.MemoryStoresMemoriesUpdateBody } & CallOptions): Promise<api.MemoryStoresMemoriesUpdateReply>;
      /** Deletes a memory; its versions stay. `DELETE /v1/memory_stores/{memory_store_id}/memories/{memory_id}` */
      delete(input: { params: api.MemoryStoresMemoriesDeleteParams; query?: api.MemoryStoresMemoriesDeleteQuery } & CallOptions): Promise<api.MemoryStoresMemoriesDeleteReply>;
    };
    memory_versions: {
      /** Lists versions, newest first: of the store, or of one memory. `GET /v1/memory_stores/{memory_store_id}/memory_versions` */
      list(input: { params: api.MemoryStoresMemoryVersionsListParams; query?: api.MemoryStoresMemoryVersionsListQuery } & CallOptions): Promise<api.MemoryStoresMemoryVersionsListReply>;
      /** One version, with its text. `GET /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}` */
      retrieve(input: { params: api.MemoryStoresMemoryVersionsRetrieveParams; query?: api.MemoryStoresMemoryVersionsRetrieveQuery } & CallOptions): Promise<api.MemoryStoresMemoryVersionsRetrieveReply>;
      /** Scrubs text, path and hash of a version; who wrote it and when stays. `POST /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact` */
      redact(input: { params: api.MemoryStoresMemoryVersionsRedactParams; body?: api.MemoryStoresMemoryVersionsRedactBody } & CallOptions): Promise<api.MemoryStoresMemoryVersionsRedactReply>;
    };
  };
  messages: {
    /** Has a model answer a conversation, whole or as a stream of events. `POST /v1/messages` */
    create(input: { body: api.MessagesCreateBody & { stream: true } } & CallOptions): Promise<AsyncGenerator<StreamEvent, void, undefined>>;
    /** Has a model answer a conversation, whole or as a stream of events. `POST /v1/messages` */
    create(input: { body: api.MessagesCreateBody } & CallOptions): Promise<api.MessagesCreateReply>;
    batches: {
      /** Lists the workspace's batches, newest first. `GET /v1/messages/batches` */
      list(input?: { query?: api.MessagesBatchesListQuery } & CallOptions): Promise<api.MessagesBatchesListReply>;
      /** Takes up to 100,000 message requests, worked off in the background at half the price. `POST /v1/messages/batches` */
      create(input: { body: api.MessagesBatchesCreateBody | JsonBytes } & CallOptions): Promise<api.MessagesBatchesCreateReply>;
      /** One batch, and how far it is. `GET /v1/messages/batches/{message_batch_id}` */
      retrieve(input: { params: api.MessagesBatchesRetrieveParams } & CallOptions): Promise<api.MessagesBatchesRetrieveReply>;
      /** Deletes a batch that has ended, with its results. `DELETE /v1/messages/batches/{message_batch_id}` */
      delete(input: { params: api.MessagesBatchesDeleteParams } & CallOptions): Promise<api.MessagesBatchesDeleteReply>;
      /** Cancels what of a batch has not begun. `POST /v1/messages/batches/{message_batch_id}/cancel` */
      cancel(input: { params: api.MessagesBatchesCancelParams } & CallOptions): Promise<api.MessagesBatchesCancelReply>;
      /** The results of a batch that has ended: one JSON line for each request. `GET /v1/messages/batches/{message_batch_id}/results` */
      results(input: { params: api.MessagesBatchesResultsParams } & CallOptions): Promise<Response>;
    };
    /** Counts the tokens of a request without sending it. `POST /v1/messages/count_tokens` */
    count_tokens(input: { body: api.MessagesCountTokensBody } & CallOptions): Promise<api.MessagesCountTokensReply>;
  };
  models: {
    /** Lists the models, newest first; retired ones only where asked for. `GET /v1/models` */
    list(input?: { query?: api.ModelsListQuery } & CallOptions): Promise<api.ModelsListReply>;
    /** One model, by its id or an alias. `GET /v1/models/{model_id}` */
    retrieve(input: { params: api.ModelsRetrieveParams } & CallOptions): Promise<api.ModelsRetrieveReply>;
  };
  workspace_objects: {
    /** Finds objects of the workspace by an id or by words of their names. `GET /v1/objects` */
    list(input: { query: api.WorkspaceObjectsListQuery } & CallOptions): Promise<api.WorkspaceObjectsListReply>;
  };
  alert_rules: {
    /** Lists the rules by which alerts fire, with their numbers. `GET /v1/organizations/alert_rules` */
    list(input?: CallOptions): Promise<api.AlertRulesListReply>;
    /** Reads one rule. `GET /v1/organizations/alert_rules/{kind}` */
    retrieve(input: { params: api.AlertRulesRetrieveParams } & CallOptions): Promise<api.AlertRulesRetrieveReply>;
    /** Switches a rule on or off, or changes its numbers. `POST /v1/organizations/alert_rules/{kind}` */
    update(input: { params: api.AlertRulesUpdateParams; body?: api.AlertRulesUpdateBody } & CallOptions): Promise<api.AlertRulesUpdateReply>;
  };
  alert_settings: {
    /** Whom alerts are mailed to. `GET /v1/organizations/alert_settings` */
    retrieve(input?: CallOptions): Promise<api.AlertSettingsRetrieveReply>;
    /** Sets whom alerts are mailed to. `POST /v1/organizations/alert_settings` */
    update(input?: { body?: api.AlertSettingsUpdateBody } & CallOptions): Promise<api.AlertSettingsUpdateReply>;
  };
  alerts: {
    /** Lists alerts, newest first: what fires, what has fired, or both. `GET /v1/organizations/alerts` */
    list(input?: { query?: api.AlertsListQuery } & CallOptions): Promise<api.AlertsListReply>;
    /** Reads one alert. `GET /v1/organizations/alerts/{alert_id}` */
    retrieve(input: { params: api.AlertsRetrieveParams } & CallOptions): Promise<api.AlertsRetrieveReply>;
  };
  analytics: {
    /** What a range cost, by up to five dimensions, by class of tokens and by time. `GET /v1/organizations/analytics/cost` */
    cost(input: { query: api.AnalyticsCostQuery } & CallOptions): Promise<api.AnalyticsCostReply>;
    /** Tokens and requests of a range, by up to five dimensions and by time. `GET /v1/organizations/analytics/usage` */
    usage(input: { query: api.AnalyticsUsageQuery } & CallOptions): Promise<api.AnalyticsUsageReply>;
  };
  api_keys: {
    /** Lists the organization's API keys, newest first. `GET /v1/organizations/api_keys` */
    list(input?: { query?: api.ApiKeysListQuery } & CallOptions): Promise<api.ApiKeysListReply>;
    /** One API key. `GET /v1/organizations/api_keys/{api_key_id}` */
    retrieve(input: { params: api.ApiKeysRetrieveParams } & CallOptions): Promise<api.ApiKeysRetrieveReply>;
    /** Renames an API key, or deactivates, activates or archives it. `POST /v1/organizations/api_keys/{api_key_id}` */
    update(input: { params: api.ApiKeysUpdateParams; body?: api.ApiKeysUpdateBody } & CallOptions): Promise<api.ApiKeysUpdateReply>;
  };
  audit_events: {
    /** Lists what was done in the organization: newest first, or behind a number in the log's own order. `GET /v1/organizations/audit_events` */
    list(input?: { query?: api.AuditEventsListQuery } & CallOptions): Promise<api.AuditEventsListReply>;
  };
  cost_report: {
    /** What each day cost, oldest first. `GET /v1/organizations/cost_report` */
    list(input: { query: api.CostReportListQuery } & CallOptions): Promise<api.CostReportListReply>;
  };
  federation_issuers: {
    /** Lists issuers, newest first. `GET /v1/organizations/federation_issuers` */
    list(input?: { query?: api.FederationIssuersListQuery } & CallOptions): Promise<api.FederationIssuersListReply>;
    /** Registers an issuer whose tokens the organization believes. `POST /v1/organizations/federation_issuers` */
    create(input: { body: api.FederationIssuersCreateBody } & CallOptions): Promise<api.FederationIssuersCreateReply>;
    /** One issuer, and how its keys are doing. `GET /v1/organizations/federation_issuers/{federation_issuer_id}` */
    retrieve(input: { params: api.FederationIssuersRetrieveParams } & CallOptions): Promise<api.FederationIssuersRetrieveReply>;
    /** Changes an issuer; where its keys come from is replaced whole. `POST /v1/organizations/federation_issuers/{federation_issuer_id}` */
    update(input: { params: api.FederationIssuersUpdateParams; body?: api.FederationIssuersUpdateBody } & CallOptions): Promise<api.FederationIssuersUpdateReply>;
    /** Archives an issuer that no live rule names. `POST /v1/organizations/federation_issuers/{federation_issuer_id}/archive` */
    archive(input: { params: api.FederationIssuersArchiveParams } & CallOptions): Promise<api.FederationIssuersArchiveReply>;
  };
  federation_rules: {
    /** Lists rules, newest first, of one issuer where it is named. `GET /v1/organizations/federation_rules` */
    list(input?: { query?: api.FederationRulesListQuery } & CallOptions): Promise<api.FederationRulesListReply>;
    /** Creates a rule: which tokens of an issuer become tokens of a service account. `POST /v1/organizations/federation_rules` */
    create(input: { body: api.FederationRulesCreateBody } & CallOptions): Promise<api.FederationRulesCreateReply>;
    /** One rule. `GET /v1/organizations/federation_rules/{federation_rule_id}` */
    retrieve(input: { params: api.FederationRulesRetrieveParams } & CallOptions): Promise<api.FederationRulesRetrieveReply>;
    /** Changes a rule; match and target are replaced whole. `POST /v1/organizations/federation_rules/{federation_rule_id}` */
    update(input: { params: api.FederationRulesUpdateParams; body?: api.FederationRulesUpdateBody } & CallOptions): Promise<api.FederationRulesUpdateReply>;
    /** Archives a rule: it exchanges nothing from then on. `POST /v1/organizations/federation_rules/{federation_rule_id}/archive` */
    archive(input: { params: api.FederationRulesArchiveParams } & CallOptions): Promise<api.FederationRulesArchiveReply>;
    workspaces: {
      /** Lists the workspaces that a rule is enabled for, all on one page. `GET /v1/organizations/federation_rules/{federation_rule_id}/workspaces` */
      list(input: { params: api.FederationRulesWorkspacesListParams; query?: api.FederationRulesWorkspacesListQuery } & CallOptions): Promise<api.FederationRulesWorkspacesListReply>;
      /** Enables a rule for a workspace. `POST /v1/organizations/federation_rules/{federation_rule_id}/workspaces` */
      add(input: { params: api.FederationRulesWorkspacesAddParams; body: api.FederationRulesWorkspacesAddBody } & CallOptions): Promise<api.FederationRulesWorkspacesAddReply>;
      /** Disables a rule for a workspace. `DELETE /v1/organizations/federation_rules/{federation_rule_id}/workspaces/{workspace_id}` */
      remove(input: { params: api.FederationRulesWorkspacesRemoveParams } & CallOptions): Promise<api.FederationRulesWorkspacesRemoveReply>;
    };
  };
  invites: {
    /** Lists pending, accepted and expired invites, newest first. `GET /v1/organizations/invites` */
    list(input?: { query?: api.InvitesListQuery } & CallOptions): Promise<api.InvitesListReply>;
    /** Invites somebody by e-mail for 21 days. Where seats are finite it takes one of the lowest tier. `POST /v1/organizations/invites` */
    create(input: { body: api.InvitesCreateBody } & CallOptions): Promise<api.InvitesCreateReply>;
    /** One invite, in whatever state. `GET /v1/organizations/invites/{invite_id}` */
    retrieve(input: { params: api.InvitesRetrieveParams } & CallOptions): Promise<api.InvitesRetrieveReply>;
    /** Withdraws a pending invite; its seat comes back. `DELETE /v1/organizations/invites/{invite_id}` */
    delete(input: { params: api.InvitesDeleteParams } & CallOptions): Promise<api.InvitesDeleteReply>;
  };
  limits: {
    /** What holds for the organization, or for one workspace, and what is used of it. `GET /v1/organizations/limits` */
    retrieve(input?: { query?: api.LimitsRetrieveQuery } & CallOptions): Promise<api.LimitsRetrieveReply>;
  };
  organizations: {
    /** The organization that the credential belongs to. `GET /v1/organizations/me` */
    me(input?: CallOptions): Promise<api.OrganizationsMeReply>;
    /** What goes on: requests, spend, upstreams, who spends most, and what waits for a person. `GET /v1/organizations/overview` */
    overview(input?: { query?: api.OrganizationsOverviewQuery } & CallOptions): Promise<api.OrganizationsOverviewReply>;
  };
  objects: {
    /** Finds objects by an id or by words of their names, among all that the caller may read. `GET /v1/organizations/objects` */
    list(input: { query: api.ObjectsListQuery } & CallOptions): Promise<api.ObjectsListReply>;
  };
  rate_limits: {
    /** The organization's rate limits for each group of models. `GET /v1/organizations/rate_limits` */
    list(input?: { query?: api.RateLimitsListQuery } & CallOptions): Promise<api.RateLimitsListReply>;
  };
  rbac_groups: {
    /** Lists the organization's groups, newest first. `GET /v1/organizations/rbac_groups` */
    list(input?: { query?: api.RbacGroupsListQuery } & CallOptions): Promise<api.RbacGroupsListReply>;
    /** Makes a group. Its name need not be unique. `POST /v1/organizations/rbac_groups` */
    create(input: { body: api.RbacGroupsCreateBody } & CallOptions): Promise<api.RbacGroupsCreateReply>;
    /** One group. `GET /v1/organizations/rbac_groups/{rbac_group_id}` */
    retrieve(input: { params: api.RbacGroupsRetrieveParams } & CallOptions): Promise<api.RbacGroupsRetrieveReply>;
    /** Renames a group. `POST /v1/organizations/rbac_groups/{rbac_group_id}` */
    update(input: { params: api.RbacGroupsUpdateParams; body?: api.RbacGroupsUpdateBody } & CallOptions): Promise<api.RbacGroupsUpdateReply>;
    /** Deletes a group; its members lose at once what it gave them. `DELETE /v1/organizations/rbac_groups/{rbac_group_id}` */
    delete(input: { params: api.RbacGroupsDeleteParams } & CallOptions): Promise<api.RbacGroupsDeleteReply>;
    members: {
      /** Lists the members of a group; whoever joined the organization last comes first. `GET /v1/organizations/rbac_groups/{rbac_group_id}/members` */
      list(input: { params: api.RbacGroupsMembersListParams; query?: api.RbacGroupsMembersListQuery } & CallOptions): Promise<api.RbacGroupsMembersListReply>;
      /** Adds a member of the organization to a group. `POST /v1/organizations/rbac_groups/{rbac_group_id}/members` */
      add(input: { params: api.RbacGroupsMembersAddParams; body: api.RbacGroupsMembersAddBody } & CallOptions): Promise<api.RbacGroupsMembersAddReply>;
      /** Removes a member from a group. `DELETE /v1/organizations/rbac_groups/{rbac_group_id}/members/{user_id}` */
      remove(input: { params: api.RbacGroupsMembersRemoveParams } & CallOptions): Promise<api.RbacGroupsMembersRemoveReply>;
    };
  };
  rbac_roles: {
    /** Lists the roles: those that are built in, then those of the organization. `GET /v1/organizations/rbac_roles` */
    list(input?: { query?: api.RbacRolesListQuery } & CallOptions): Promise<api.RbacRolesListReply>;
    /** One role. `GET /v1/organizations/rbac_roles/{rbac_role_id}` */
    retrieve(input: { params: api.RbacRolesRetrieveParams } & CallOptions): Promise<api.RbacRolesRetrieveReply>;
    permissions: {
      /** Lists what a role holds. A blanket is one row, and stands for all that it covers. `GET /v1/organizations/rbac_roles/{rbac_role_id}/permissions` */
      list(input: { params: api.RbacRolesPermissionsListParams; query?: api.RbacRolesPermissionsListQuery } & CallOptions): Promise<api.RbacRolesPermissionsListReply>;
    };
  };
  requests: {
    /** Lists requests, items of batches and turns of agents: newest first, or as they end. `GET /v1/organizations/requests` */
    list(input?: { query?: api.RequestsListQuery } & CallOptions): Promise<api.RequestsListReply>;
    /** Reads one request: who asked, which models were tried and why, and what it cost. `GET /v1/organizations/requests/{request_id}` */
    retrieve(input: { params: api.RequestsRetrieveParams } & CallOptions): Promise<api.RequestsRetrieveReply>;
  };
  request_bodies: {
    /** Reads what was said in a request, where it is kept. Each look is in the audit log. `GET /v1/organizations/requests/{request_id}/body` */
    retrieve(input: { params: api.RequestBodiesRetrieveParams } & CallOptions): Promise<api.RequestBodiesRetrieveReply>;
  };
  service_accounts: {
    /** Lists service accounts, newest first. `GET /v1/organizations/service_accounts` */
    list(input?: { query?: api.ServiceAccountsListQuery } & CallOptions): Promise<api.ServiceAccountsListReply>;
    /** Creates a service account. `POST /v1/organizations/service_accounts` */
    create(input: { body: api.ServiceAccountsCreateBody } & CallOptions): Promise<api.ServiceAccountsCreateReply>;
    /** One service account. `GET /v1/organizations/service_accounts/{service_account_id}` */
    retrieve(input: { params: api.ServiceAccountsRetrieveParams } & CallOptions): Promise<api.ServiceAccountsRetrieveReply>;
    /** Changes the description or the role of a service account. `POST /v1/organizations/service_accounts/{service_account_id}` */
    update(input: { params: api.ServiceAccountsUpdateParams; body?: api.ServiceAccountsUpdateBody } & CallOptions): Promise<api.ServiceAccountsUpdateReply>;
    /** Archives a service account: its tokens end at once. `POST /v1/organizations/service_accounts/{service_account_id}/archive` */
    archive(input: { params: api.ServiceAccountsArchiveParams } & CallOptions): Promise<api.ServiceAccountsArchiveReply>;
    workspaces: {
      /** Lists the workspaces that a service account is a member of. `GET /v1/organizations/service_accounts/{service_account_id}/workspaces` */
      list(input: { params: api.ServiceAccountsWorkspacesListParams; query?: api.ServiceAccountsWorkspacesListQuery } & CallOptions): Promise<api.ServiceAccountsWorkspacesListReply>;
      /** Makes a service account a member of a workspace, or replaces its role there. `POST /v1/organizations/service_accounts/{service_account_id}/workspaces` */
      add(input: { params: api.ServiceAccountsWorkspacesAddParams; body: api.ServiceAccountsWorkspacesAddBody } & CallOptions): Promise<api.ServiceAccountsWorkspacesAddReply>;
      /** Ends a service account's membership in a workspace. `DELETE /v1/organizations/service_accounts/{service_account_id}/workspaces/{workspace_id}` */
      remove(input: { params: api.ServiceAccountsWorkspacesRemoveParams } & CallOptions): Promise<api.ServiceAccountsWorkspacesRemoveReply>;
    };
  };
  spend_limit_increase_requests: {
    /** Members who asked for more, newest first. `GET /v1/organizations/spend_limit_increase_requests` */
    list(input?: { query?: api.SpendLimitIncreaseRequestsListQuery } & CallOptions): Promise<api.SpendLimitIncreaseRequestsListReply>;
    /** One who asked for more. `GET /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}` */
    retrieve(input: { params: api.SpendLimitIncreaseRequestsRetrieveParams } & CallOptions): Promise<api.SpendLimitIncreaseRequestsRetrieveReply>;
    /** Sets the member's limit and ends the request. `POST /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}/approve` */
    approve(input: { params: api.SpendLimitIncreaseRequestsApproveParams; body: api.SpendLimitIncreaseRequestsApproveBody } & CallOptions): Promise<api.SpendLimitIncreaseRequestsApproveReply>;
    /** Ends the request; the limit stays. `POST /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}/deny` */
    deny(input: { params: api.SpendLimitIncreaseRequestsDenyParams; body?: api.SpendLimitIncreaseRequestsDenyBody } & CallOptions): Promise<api.SpendLimitIncreaseRequestsDenyReply>;
  };
  spend_limits: {
    /** The spend limits that are set. `GET /v1/organizations/spend_limits` */
    list(input?: { query?: api.SpendLimitsListQuery } & CallOptions): Promise<api.SpendLimitsListReply>;
    /** Sets the spend limit of a scope and a period. `POST /v1/organizations/spend_limits` */
    set(input: { body: api.SpendLimitsSetBody } & CallOptions): Promise<api.SpendLimitsSetReply>;
    /** What each member may spend, and has spent, by period. `GET /v1/organizations/spend_limits/effective` */
    effective(input?: { query?: api.SpendLimitsEffectiveQuery } & CallOptions): Promise<api.SpendLimitsEffectiveReply>;
    /** One spend limit. `GET /v1/organizations/spend_limits/{spend_limit_id}` */
    retrieve(input: { params: api.SpendLimitsRetrieveParams } & CallOptions): Promise<api.SpendLimitsRetrieveReply>;
    /** Takes a spend limit away. `DELETE /v1/organizations/spend_limits/{spend_limit_id}` */
    delete(input: { params: api.SpendLimitsDeleteParams } & CallOptions): Promise<api.SpendLimitsDeleteReply>;
  };
  usage_report: {
    /** Tokens in time buckets, oldest first. `GET /v1/organizations/usage_report/messages` */
    messages(input: { query: api.UsageReportMessagesQuery } & CallOptions): Promise<api.UsageReportMessagesReply>;
  };
  users: {
    /** Lists the organization's members, newest first. `GET /v1/organizations/users` */
    list(input?: { query?: api.UsersListQuery } & CallOptions): Promise<api.UsersListReply>;
    /** One member. `GET /v1/organizations/users/{user_id}` */
    retrieve(input: { params: api.UsersRetrieveParams } & CallOptions): Promise<api.UsersRetrieveReply>;
    /** Changes a member's role. `POST /v1/organizations/users/{user_id}` */
    update(input: { params: api.UsersUpdateParams; body: api.UsersUpdateBody } & CallOptions): Promise<api.UsersUpdateReply>;
    /** Removes a member. Their sign-ins and tokens end; keys that they made live on. `DELETE /v1/organizations/users/{user_id}` */
    delete(input: { params: api.UsersDeleteParams } & CallOptions): Promise<api.UsersDeleteReply>;
    /** Ends a member's sign-ins and access tokens. They may sign in again. `POST /v1/organizations/users/{user_id}/sign_out` */
    sign_out(input: { params: api.UsersSignOutParams } & CallOptions): Promise<api.UsersSignOutReply>;
  };
  webhooks: {
    /** Lists webhook endpoints, newest first unless order says otherwise. `GET /v1/organizations/webhooks` */
    list(input?: { query?: api.WebhooksListQuery } & CallOptions): Promise<api.WebhooksListReply>;
    /** Makes a webhook endpoint; its signing secret is in this reply alone. `POST /v1/organizations/webhooks` */
    create(input: { body: api.WebhooksCreateBody } & CallOptions): Promise<api.WebhooksCreateReply>;
    /** One webhook endpoint. `GET /v1/organizations/webhooks/{webhook_endpoint_id}` */
    retrieve(input: { params: api.WebhooksRetrieveParams } & CallOptions): Promise<api.WebhooksRetrieveReply>;
    /** Changes the fields that are sent; disables a webhook endpoint, or enables it again. `POST /v1/organizations/webhooks/{webhook_endpoint_id}` */
    update(input: { params: api.WebhooksUpdateParams; body?: api.WebhooksUpdateBody } & CallOptions): Promise<api.WebhooksUpdateReply>;
    /** Deletes a webhook endpoint, and what was on its way there. `DELETE /v1/organizations/webhooks/{webhook_endpoint_id}` */
    delete(input: { params: api.WebhooksDeleteParams } & CallOptions): Promise<api.WebhooksDeleteReply>;
    /** Replaces the signing secret, which signs on beside the new one for a day; the new one is in this reply alone. `POST /v1/organizations/webhooks/{webhook_endpoint_id}/regenerate_signing_secret` */
    regenerate_signing_secret(input: { params: api.WebhooksRegenerateSigningSecretParams } & CallOptions): Promise<api.WebhooksRegenerateSigningSecretReply>;
  };
  workspaces: {
    /** Lists the organization's workspaces, newest first. `GET /v1/organizations/workspaces` */
    list(input?: { query?: api.WorkspacesListQuery } & CallOptions): Promise<api.WorkspacesListReply>;
    /** Makes a workspace. `POST /v1/organizations/workspaces` */
    create(input: { body: api.WorkspacesCreateBody } & CallOptions): Promise<api.WorkspacesCreateReply>;
    /** One workspace. `GET /v1/organizations/workspaces/{workspace_id}` */
    retrieve(input: { params: api.WorkspacesRetrieveParams } & CallOptions): Promise<api.WorkspacesRetrieveReply>;
    /** Changes name, colour, tags or data residency of a workspace. `POST /v1/organizations/workspaces/{workspace_id}` */
    update(input: { params: api.WorkspacesUpdateParams; body?: api.WorkspacesUpdateBody } & CallOptions): Promise<api.WorkspacesUpdateReply>;
    /** Archives a workspace for ever, and with it its keys. `POST /v1/organizations/workspaces/{workspace_id}/archive` */
    archive(input: { params: api.WorkspacesArchiveParams } & CallOptions): Promise<api.WorkspacesArchiveReply>;
    members: {
      /** Lists the members of a workspace, those newest in the organization first. `GET /v1/organizations/workspaces/{workspace_id}/members` */
      list(input: { params: api.WorkspacesMembersListParams; query?: api.WorkspacesMembersListQuery } & CallOptions): Promise<api.WorkspacesMembersListReply>;
      /** Adds a member of the organization to a workspace. `POST /v1/organizations/workspaces/{workspace_id}/members` */
      add(input: { params: api.WorkspacesMembersAddParams; body: api.WorkspacesMembersAddBody } & CallOptions): Promise<api.WorkspacesMembersAddReply>;
      /** One member of a workspace. `GET /v1/organizations/workspaces/{workspace_id}/members/{user_id}` */
      retrieve(input: { params: api.WorkspacesMembersRetrieveParams } & CallOptions): Promise<api.WorkspacesMembersRetrieveReply>;
      /** Changes the role of a member of a workspace. `POST /v1/organizations/workspaces/{workspace_id}/members/{user_id}` */
      update(input: { params: api.WorkspacesMembersUpdateParams; body: api.WorkspacesMembersUpdateBody } & CallOptions): Promise<api.WorkspacesMembersUpdateReply>;
      /** Removes a member from a workspace. `DELETE /v1/organizations/workspaces/{workspace_id}/members/{user_id}` */
      remove(input: { params: api.WorkspacesMembersRemoveParams } & CallOptions): Promise<api.WorkspacesMembersRemoveReply>;
    };
    rate_limits: {
      /** What a workspace has of its own, and, where asked for, what it inherits. `GET /v1/organizations/workspaces/{workspace_id}/rate_limits` */
      list(input: { params: api.WorkspacesRateLimitsListParams; query?: api.WorkspacesRateLimitsListQuery } & CallOptions): Promise<api.WorkspacesRateLimitsListReply>;
      /** Sets or clears rate limits of a workspace for one group of models. `POST /v1/organizations/workspaces/{workspace_id}/rate_limits/{rate_limit_id}` */
      update(input: { params: api.WorkspacesRateLimitsUpdateParams; body: api.WorkspacesRateLimitsUpdateBody } & CallOptions): Promise<api.WorkspacesRateLimitsUpdateReply>;
    };
    request_bodies: {
      /** Whether a workspace keeps what is said in its requests, and what it takes out. `GET /v1/organizations/workspaces/{workspace_id}/request_bodies` */
      retrieve(input: { params: api.WorkspacesRequestBodiesRetrieveParams } & CallOptions): Promise<api.WorkspacesRequestBodiesRetrieveReply>;
      /** Has a workspace keep what is said in its requests, or keep it no more. `POST /v1/organizations/workspaces/{workspace_id}/request_bodies` */
      update(input: { params: api.WorkspacesRequestBodiesUpdateParams; body?: api.WorkspacesRequestBodiesUpdateBody } & CallOptions): Promise<api.WorkspacesRequestBodiesUpdateReply>;
      /** Deletes all that a workspace has kept of its requests. `DELETE /v1/organizations/workspaces/{workspace_id}/request_bodies` */
      delete(input: { params: api.WorkspacesRequestBodiesDeleteParams } & CallOptions): Promise<api.WorkspacesRequestBodiesDeleteReply>;
    };
    service_accounts: {
      /** Lists the service accounts that were added to a workspace. `GET /v1/organizations/workspaces/{workspace_id}/service_accounts` */
      list(input: { params: api.WorkspacesServiceAccountsListParams; query?: api.WorkspacesServiceAccountsListQuery } & CallOptions): Promise<api.WorkspacesServiceAccountsListReply>;
      /** Makes a service account a member of a workspace, or replaces its role there. `POST /v1/organizations/workspaces/{workspace_id}/service_accounts` */
      add(input: { params: api.WorkspacesServiceAccountsAddParams; body: api.WorkspacesServiceAccountsAddBody } & CallOptions): Promise<api.WorkspacesServiceAccountsAddReply>;
      /** One service account's membership in a workspace. `GET /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}` */
      retrieve(input: { params: api.WorkspacesServiceAccountsRetrieveParams } & CallOptions): Promise<api.WorkspacesServiceAccountsRetrieveReply>;
      /** Changes a service account's role in a workspace. `POST /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}` */
      update(input: { params: api.WorkspacesServiceAccountsUpdateParams; body: api.WorkspacesServiceAccountsUpdateBody } & CallOptions): Promise<api.WorkspacesServiceAccountsUpdateReply>;
      /** Ends a service account's membership in a workspace. `DELETE /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}` */
      remove(input: { params: api.WorkspacesServiceAccountsRemoveParams } & CallOptions): Promise<api.WorkspacesServiceAccountsRemoveReply>;
    };
  };
  sessions: {
    /** Lists the workspace's sessions, newest first. `GET /v1/sessions` */
    list(input?: { query?: api.SessionsListQuery } & CallOptions): Promise<api.SessionsListReply>;
    /** Begins a session of an agent, at one of its versions. `POST /v1/sessions` */
    create(input: { body: api.SessionsCreateBody } & CallOptions): Promise<api.SessionsCreateReply>;
    /** One session, with what it has used. `GET /v1/sessions/{session_id}` */
    retrieve(input: { params: api.SessionsRetrieveParams } & CallOptions): Promise<api.SessionsRetrieveReply>;
    /** Changes what is named of a session: title, metadata, budget, and while it is idle its tools. `POST /v1/sessions/{session_id}` */
    update(input: { params: api.SessionsUpdateParams; body?: api.SessionsUpdateBody } & CallOptions): Promise<api.SessionsUpdateReply>;
    /** Deletes a session with its events. `DELETE /v1/sessions/{session_id}` */
    delete(input: { params: api.SessionsDeleteParams } & CallOptions): Promise<api.SessionsDeleteReply>;
    /** Ends a session for good; it can be read as before. `POST /v1/sessions/{session_id}/archive` */
    archive(input: { params: api.SessionsArchiveParams } & CallOptions): Promise<api.SessionsArchiveReply>;
    events: {
      /** Lists the events of a session, oldest first. `GET /v1/sessions/{session_id}/events` */
      list(input: { params: api.SessionsEventsListParams; query?: api.SessionsEventsListQuery } & CallOptions): Promise<api.SessionsEventsListReply>;
      /** Sends events to a session: all of them, or none. `POST /v1/sessions/{session_id}/events` */
      send(input: { params: api.SessionsEventsSendParams; body: api.SessionsEventsSendBody } & CallOptions): Promise<api.SessionsEventsSendReply>;
      /** The events of a session as they come, from now on. `GET /v1/sessions/{session_id}/events/stream` */
      stream(input: { params: api.SessionsEventsStreamParams; query?: api.SessionsEventsStreamQuery } & CallOptions): Promise<AsyncGenerator<StreamEvent, void, undefined>>;
    };
    resources: {
      /** Lists what a session is given. `GET /v1/sessions/{session_id}/resources` */
      list(input: { params: api.SessionsResourcesListParams; query?: api.SessionsResourcesListQuery } & CallOptions): Promise<api.SessionsResourcesListReply>;
      /** Gives a file to a session. `POST /v1/sessions/{session_id}/resources` */
      add(input: { params: api.SessionsResourcesAddParams; body: api.SessionsResourcesAddBody } & CallOptions): Promise<api.SessionsResourcesAddReply>;
      /** One thing that a session is given. `GET /v1/sessions/{session_id}/resources/{resource_id}` */
      retrieve(input: { params: api.SessionsResourcesRetrieveParams } & CallOptions): Promise<api.SessionsResourcesRetrieveReply>;
      /** Gives a repository another token. `POST /v1/sessions/{session_id}/resources/{resource_id}` */
      update(input: { params: api.SessionsResourcesUpdateParams; body: api.SessionsResourcesUpdateBody } & CallOptions): Promise<api.SessionsResourcesUpdateReply>;
      /** Takes something from a session. `DELETE /v1/sessions/{session_id}/resources/{resource_id}` */
      delete(input: { params: api.SessionsResourcesDeleteParams } & CallOptions): Promise<api.SessionsResourcesDeleteReply>;
    };
    threads: {
      /** Lists the threads of a session, the first one first. `GET /v1/sessions/{session_id}/threads` */
      list(input: { params: api.SessionsThreadsListParams; query?: api.SessionsThreadsListQuery } & CallOptions): Promise<api.SessionsThreadsListReply>;
      /** One thread of a session. `GET /v1/sessions/{session_id}/threads/{thread_id}` */
      retrieve(input: { params: api.SessionsThreadsRetrieveParams } & CallOptions): Promise<api.SessionsThreadsRetrieveReply>;
      /** Ends a thread beside the first one. `POST /v1/sessions/{session_id}/threads/{thread_id}/archive` */
      archive(input: { params: api.SessionsThreadsArchiveParams } & CallOptions): Promise<api.SessionsThreadsArchiveReply>;
      events: {
        /** Lists the events of a thread, oldest first. `GET /v1/sessions/{session_id}/threads/{thread_id}/events` */
        list(input: { params: api.SessionsThreadsEventsListParams; query?: api.SessionsThreadsEventsListQuery } & CallOptions): Promise<api.SessionsThreadsEventsListReply>;
        /** The events of a thread as they come, from now on. `GET /v1/sessions/{session_id}/threads/{thread_id}/stream` */
        stream(input: { params: api.SessionsThreadsEventsStreamParams; query?: api.SessionsThreadsEventsStreamQuery } & CallOptions): Promise<AsyncGenerator<StreamEvent, void, undefined>>;
      };
    };
  };
  skills: {
    /** Lists the workspace's skills, newest first. `GET /v1/skills` */
    list(input?: { query?: api.SkillsListQuery } & CallOptions): Promise<api.SkillsListReply>;
    /** Makes a skill of a folder's files, or of one zip or tar of them. `POST /v1/skills` */
    create(input: { body: FormData | FormBytes } & CallOptions): Promise<api.SkillsCreateReply>;
    /** One skill. `GET /v1/skills/{skill_id}` */
    retrieve(input: { params: api.SkillsRetrieveParams } & CallOptions): Promise<api.SkillsRetrieveReply>;
    /** Deletes a skill with all its versions. `DELETE /v1/skills/{skill_id}` */
    delete(input: { params: api.SkillsDeleteParams } & CallOptions): Promise<api.SkillsDeleteReply>;
    versions: {
      /** Lists the versions of a skill, newest first. `GET /v1/skills/{skill_id}/versions` */
      list(input: { params: api.SkillsVersionsListParams; query?: api.SkillsVersionsListQuery } & CallOptions): Promise<api.SkillsVersionsListReply>;
      /** Makes another version of a skill, which is the latest from then on. `POST /v1/skills/{skill_id}/versions` */
      create(input: { params: api.SkillsVersionsCreateParams; body: FormData | FormBytes } & CallOptions): Promise<api.SkillsVersionsCreateReply>;
      /** One version of a skill, by its id or as latest. `GET /v1/skills/{skill_id}/versions/{version}` */
      retrieve(input: { params: api.SkillsVersionsRetrieveParams } & CallOptions): Promise<api.SkillsVersionsRetrieveReply>;
      /** Deletes a version of a skill; the only one goes with its skill alone. `DELETE /v1/skills/{skill_id}/versions/{version}` */
      delete(input: { params: api.SkillsVersionsDeleteParams } & CallOptions): Promise<api.SkillsVersionsDeleteReply>;
      /** A zip of a version's files, in one folder with the skill's name. `GET /v1/skills/{skill_id}/versions/{version}/content` */
      download(input: { params: api.SkillsVersionsDownloadParams } & CallOptions): Promise<Response>;
    };
  };
  vaults: {
    /** Lists the workspace's vaults, newest first. `GET /v1/vaults` */
    list(input?: { query?: api.VaultsListQuery } & CallOptions): Promise<api.VaultsListReply>;
    /** Makes a vault, which holds credentials for agents. `POST /v1/vaults` */
    create(input: { body: api.VaultsCreateBody } & CallOptions): Promise<api.VaultsCreateReply>;
    /** One vault. `GET /v1/vaults/{vault_id}` */
    retrieve(input: { params: api.VaultsRetrieveParams } & CallOptions): Promise<api.VaultsRetrieveReply>;
    /** Changes what is named of a vault. `POST /v1/vaults/{vault_id}` */
    update(input: { params: api.VaultsUpdateParams; body?: api.VaultsUpdateBody } & CallOptions): Promise<api.VaultsUpdateReply>;
    /** Deletes a vault with its credentials. `DELETE /v1/vaults/{vault_id}` */
    delete(input: { params: api.VaultsDeleteParams } & CallOptions): Promise<api.VaultsDeleteReply>;
    /** Closes a vault for ever, and destroys the secrets in it; its records stay. `POST /v1/vaults/{vault_id}/archive` */
    archive(input: { params: api.VaultsArchiveParams } & CallOptions): Promise<api.VaultsArchiveReply>;
    credentials: {
      /** Lists the credentials of a vault, newest first. `GET /v1/vaults/{vault_id}/credentials` */
      list(input: { params: api.VaultsCredentialsListParams; query?: api.VaultsCredentialsListQuery } & CallOptions): Promise<api.VaultsCredentialsListReply>;
      /** Puts a credential into a vault; no reply ever holds its secrets. `POST /v1/vaults/{vault_id}/credentials` */
      create(input: { params: api.VaultsCredentialsCreateParams; body: api.VaultsCredentialsCreateBody } & CallOptions): Promise<api.VaultsCredentialsCreateReply>;
      /** One credential, without its secrets. `GET /v1/vaults/{vault_id}/credentials/{credential_id}` */
      retrieve(input: { params: api.VaultsCredentialsRetrieveParams } & CallOptions): Promise<api.VaultsCredentialsRetrieveReply>;
      /** Changes what is named of a credential; its type, and what it is for, stay. `POST /v1/vaults/{vault_id}/credentials/{credential_id}` */
      update(input: { params: api.VaultsCredentialsUpdateParams; body?: api.VaultsCredentialsUpdateBody } & CallOptions): Promise<api.VaultsCredentialsUpdateReply>;
      /** Deletes a credential. `DELETE /v1/vaults/{vault_id}/credentials/{credential_id}` */
      delete(input: { params: api.VaultsCredentialsDeleteParams } & CallOptions): Promise<api.VaultsCredentialsDeleteReply>;
      /** Ends a credential for ever, and destroys its secrets; its record stays. `POST /v1/vaults/{vault_id}/credentials/{credential_id}/archive` */
      archive(input: { params: api.VaultsCredentialsArchiveParams } & CallOptions): Promise<api.VaultsCredentialsArchiveReply>;
      /** Tries a credential at its MCP server, with a new token where the server refuses it. `POST /v1/vaults/{vault_id}/credentials/{credential_id}/mcp_oauth_validate` */
      mcp_oauth_validate(input: { params: api.VaultsCredentialsMcpOauthValidateParams } & CallOptions): Promise<api.VaultsCredentialsMcpOauthValidateReply>;
    };
  };
  workspace_webhooks: {
    /** Lists the workspace's webhook endpoints, newest first unless order says otherwise. `GET /v1/webhooks` */
    list(input?: { query?: api.WorkspaceWebhooksListQuery } & CallOptions): Promise<api.WorkspaceWebhooksListReply>;
    /** Makes a webhook endpoint of the workspace; its signing secret is in this reply alone. `POST /v1/webhooks` */
    create(input: { body: api.WorkspaceWebhooksCreateBody } & CallOptions): Promise<api.WorkspaceWebhooksCreateReply>;
    /** One webhook endpoint of the workspace. `GET /v1/webhooks/{webhook_endpoint_id}` */
    retrieve(input: { params: api.WorkspaceWebhooksRetrieveParams } & CallOptions): Promise<api.WorkspaceWebhooksRetrieveReply>;
    /** Changes the fields that are sent; disables a webhook endpoint, or enables it again. `POST /v1/webhooks/{webhook_endpoint_id}` */
    update(input: { params: api.WorkspaceWebhooksUpdateParams; body?: api.WorkspaceWebhooksUpdateBody } & CallOptions): Promise<api.WorkspaceWebhooksUpdateReply>;
    /** Deletes a webhook endpoint of the workspace, and what was on its way there. `DELETE /v1/webhooks/{webhook_endpoint_id}` */
    delete(input: { params: api.WorkspaceWebhooksDeleteParams } & CallOptions): Promise<api.WorkspaceWebhooksDeleteReply>;
    /** The newest deliveries to a webhook endpoint, and how they went. `GET /v1/webhooks/{webhook_endpoint_id}/deliveries` */
    deliveries(input: { params: api.WorkspaceWebhooksDeliveriesParams } & CallOptions): Promise<api.WorkspaceWebhooksDeliveriesReply>;
    /** Sends the event of a delivery again, under the same id. `POST /v1/webhooks/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay` */
    replay(input: { params: api.WorkspaceWebhooksReplayParams } & CallOptions): Promise<api.WorkspaceWebhooksReplayReply>;
    /** Replaces the signing secret, which signs on beside the new one for a day; the new one is in this reply alone. `POST /v1/webhooks/{webhook_endpoint_id}/rotate_secret` */
    rotate_secret(input: { params: api.WorkspaceWebhooksRotateSecretParams } & CallOptions): Promise<api.WorkspaceWebhooksRotateSecretReply>;
    /** Sends a test event to a webhook endpoint, signed and repeated as any other. `POST /v1/webhooks/{webhook_endpoint_id}/test` */
    test(input: { params: api.WorkspaceWebhooksTestParams; body?: api.WorkspaceWebhooksTestBody } & CallOptions): Promise<api.WorkspaceWebhooksTestReply>;
  };
}

const calls: Record<string, Call> = {
  "oauth.metadata": { route: "GET /.well-known/oauth-authorization-server" },
  "oauth.protected_resource": { route: "GET /.well-known/oauth-protected-resource" },
  "oauth.protected_resource_mcp": { route: "GET /.well-known/oauth-protected-resource/mcp" },
  "console.accept_invite": { route: "POST /console/api/accept_invite" },
  "console.alert_rules.list": { route: "GET /console/api/alert_rules" },
  "console.alert_rules.retrieve": { route: "GET /console/api/alert_rules/{kind}" },
  "console.alert_rules.update": { route: "POST /console/api/alert_rules/{kind}" },
  "console.alert_settings.retrieve": { route: "GET /console/api/alert_settings" },
  "console.alert_settings.update": { route: "POST /console/api/alert_settings" },
  "console.alerts.list": { route: "GET /console/api/alerts", pages: "page" },
  "console.alerts.retrieve": { route: "GET /console/api/alerts/{alert_id}" },
  "console.analytics.cost": { route: "GET /console/api/analytics/cost", pages: "page" },
  "console.analytics.usage": { route: "GET /console/api/analytics/usage", pages: "page" },
  "console.audit.list": { route: "GET /console/api/audit", pages: "page" },
  "console.audit.actions": { route: "GET /console/api/audit/actions" },
  "console.audit.chain": { route: "GET /console/api/audit/chain" },
  "console.audit.export": { route: "GET /console/api/audit/export", reply: "bytes" },
  "console.authorize.read": { route: "POST /console/api/authorize" },
  "console.authorize.approve": { route: "POST /console/api/authorize/approve" },
  "console.authorize.deny": { route: "POST /console/api/authorize/deny" },
  "console.batches.totals": { route: "GET /console/api/batches/totals" },
  "console.batches.results": { route: "GET /console/api/batches/{message_batch_id}/results", pages: "page" },
  "console.break_glass.set": { route: "POST /console/api/break_glass/{user_id}" },
  "console.deployments.missed": { route: "GET /console/api/deployments/{deployment_id}/missed" },
  "console.device.read": { route: "POST /console/api/device" },
  "console.device.approve": { route: "POST /console/api/device/approve" },
  "console.device.deny": { route: "POST /console/api/device/deny" },
  "console.email_domains.list": { route: "GET /console/api/email_domains" },
  "console.email_domains.create": { route: "POST /console/api/email_domains" },
  "console.email_domains.delete": { route: "DELETE /console/api/email_domains/{email_domain_id}" },
  "console.email_domains.verify": { route: "POST /console/api/email_domains/{email_domain_id}/verify" },
  "console.environments.packages": { route: "GET /console/api/environments/{environment_id}/packages" },
  "console.environments.refused_connections": { route: "GET /console/api/environments/{environment_id}/refused_connections" },
  "console.environments.work.list": { route: "GET /console/api/environments/{environment_id}/work", pages: "page" },
  "console.environments.work.check": { route: "POST /console/api/environments/{environment_id}/work/check" },
  "console.federation_rules.refusals": { route: "GET /console/api/federation_rules/{federation_rule_id}/refusals" },
  "console.federation_rules.test": { route: "POST /console/api/federation_rules/{federation_rule_id}/test" },
  "console.files.content": { route: "GET /console/api/files/{file_id}/content", reply: "bytes" },
  "console.identity_provider.get": { route: "GET /console/api/identity_provider" },
  "console.identity_provider.update": { route: "POST /console/api/identity_provider" },
  "console.invite_link": { route: "POST /console/api/invite_link" },
  "console.invites.list": { route: "GET /console/api/invites", pages: "page" },
  "console.invites.create": { route: "POST /console/api/invites" },
  "console.invites.delete": { route: "DELETE /console/api/invites/{invite_id}" },
  "console.invites.link": { route: "POST /console/api/invites/{invite_id}/link" },
  "console.invites.send": { route: "POST /console/api/invites/{invite_id}/send" },
  "console.keys.list": { route: "GET /console/api/keys", pages: "page" },
  "console.keys.create": { route: "POST /console/api/keys" },
  "console.keys.update": { route: "POST /console/api/keys/{key_id}" },
  "console.mcp_connections.read": { route: "POST /console/api/mcp_connections" },
  "console.mcp_connections.answer": { route: "POST /console/api/mcp_connections/answer" },
  "console.me": { route: "GET /console/api/me" },
  "console.members.acts": { route: "GET /console/api/member_acts" },
  "console.memory.search": { route: "GET /console/api/memory/search", pages: "page" },
  "console.models.list": { route: "GET /console/api/models" },
  "console.models.set": { route: "POST /console/api/models" },
  "console.models.delete": { route: "DELETE /console/api/models/{model_id}" },
  "console.rename": { route: "POST /console/api/name" },
  "console.objects.list": { route: "GET /console/api/objects", pages: "page" },
  "console.members.list": { route: "GET /console/api/organization_members", pages: "page" },
  "console.members.retrieve": { route: "GET /console/api/organization_members/{user_id}" },
  "console.members.delete": { route: "DELETE /console/api/organization_members/{user_id}" },
  "console.members.end_sign_ins": { route: "POST /console/api/organization_members/{user_id}/end_sign_ins" },
  "console.members.set_role": { route: "POST /console/api/organization_members/{user_id}/role" },
  "console.members.move_seat": { route: "POST /console/api/organization_members/{user_id}/seat" },
  "console.overview": { route: "GET /console/api/overview" },
  "console.organizations.overview": { route: "GET /console/api/overview/day" },
  "console.own_spend.retrieve": { route: "GET /console/api/own_spend" },
  "console.own_spend.ask": { route: "POST /console/api/own_spend/increase" },
  "console.ownership.transfer": { route: "POST /console/api/ownership" },
  "console.passkey_options": { route: "POST /console/api/passkey_options" },
  "console.passkey_sign_in": { route: "POST /console/api/passkey_sign_in" },
  "console.passkey_sign_in_options": { route: "POST /console/api/passkey_sign_in_options" },
  "console.passkeys.list": { route: "GET /console/api/passkeys" },
  "console.passkeys.create": { route: "POST /console/api/passkeys" },
  "console.passkeys.update": { route: "POST /console/api/passkeys/{passkey_id}" },
  "console.passkeys.delete": { route: "DELETE /console/api/passkeys/{passkey_id}" },
  "console.password": { route: "POST /console/api/password" },
  "console.people": { route: "GET /console/api/people" },
  "console.program_sign_ins.list": { route: "GET /console/api/program_sign_ins" },
  "console.program_sign_ins.delete": { route: "DELETE /console/api/program_sign_ins/{program_sign_in_id}" },
  "console.prompts.list": { route: "GET /console/api/prompts", pages: "page" },
  "console.prompts.create": { route: "POST /console/api/prompts" },
  "console.prompts.rename": { route: "POST /console/api/prompts/{prompt_id}" },
  "console.prompts.delete": { route: "DELETE /console/api/prompts/{prompt_id}" },
  "console.prompts.versions.list": { route: "GET /console/api/prompts/{prompt_id}/versions", pages: "page" },
  "console.prompts.versions.create": { route: "POST /console/api/prompts/{prompt_id}/versions" },
  "console.prompts.versions.retrieve": { route: "GET /console/api/prompts/{prompt_id}/versions/{version}" },
  "console.prove": { route: "POST /console/api/proof" },
  "console.proof_options": { route: "POST /console/api/proof_options" },
  "console.rate_limits.list": { route: "GET /console/api/rate_limits" },
  "console.rate_limits.set": { route: "POST /console/api/rate_limits" },
  "console.rbac_roles.actions": { route: "GET /console/api/rbac_actions" },
  "console.rbac_groups.retrieve": { route: "GET /console/api/rbac_groups/{rbac_group_id}" },
  "console.rbac_groups.members.list": { route: "GET /console/api/rbac_groups/{rbac_group_id}/members", pages: "page" },
  "console.rbac_groups.set_roles": { route: "POST /console/api/rbac_groups/{rbac_group_id}/roles" },
  "console.rbac_roles.list": { route: "GET /console/api/rbac_roles" },
  "console.rbac_roles.create": { route: "POST /console/api/rbac_roles" },
  "console.rbac_roles.update": { route: "POST /console/api/rbac_roles/{rbac_role_id}" },
  "console.rbac_roles.delete": { route: "DELETE /console/api/rbac_roles/{rbac_role_id}" },
  "console.rbac_roles.holders": { route: "GET /console/api/rbac_roles/{rbac_role_id}/groups" },
  "console.requests.export": { route: "GET /console/api/requests/export", reply: "bytes" },
  "console.sandboxes.retrieve": { route: "GET /console/api/sandboxes" },
  "console.scim.get": { route: "GET /console/api/scim" },
  "console.scim.requests.list": { route: "GET /console/api/scim/requests" },
  "console.scim.tokens.list": { route: "GET /console/api/scim/tokens" },
  "console.scim.tokens.create": { route: "POST /console/api/scim/tokens" },
  "console.scim.tokens.delete": { route: "DELETE /console/api/scim/tokens/{token_id}" },
  "console.seats.list": { route: "GET /console/api/seats" },
  "console.seats.set": { route: "POST /console/api/seats" },
  "console.second_step": { route: "POST /console/api/second_step" },
  "console.sessions.waiting": { route: "GET /console/api/sessions/waiting", pages: "page" },
  "console.sessions.files.list": { route: "GET /console/api/sessions/{session_id}/files" },
  "console.sessions.files.content": { route: "GET /console/api/sessions/{session_id}/files/content", reply: "bytes" },
  "console.sessions.mount_notes": { route: "GET /console/api/sessions/{session_id}/mount_notes" },
  "console.sessions.refused_connections": { route: "GET /console/api/sessions/{session_id}/refused_connections" },
  "console.setup": { route: "POST /console/api/setup" },
  "console.setup_link": { route: "POST /console/api/setup_link" },
  "console.setup_links.create": { route: "POST /console/api/setup_links/{user_id}" },
  "console.sign_in": { route: "POST /console/api/sign_in" },
  "console.sign_in_methods": { route: "GET /console/api/sign_in_methods" },
  "console.sign_ins.list": { route: "GET /console/api/sign_ins" },
  "console.sign_ins.delete": { route: "DELETE /console/api/sign_ins/{sign_in_id}" },
  "console.sign_out": { route: "POST /console/api/sign_out" },
  "console.sign_out_everywhere": { route: "POST /console/api/sign_out_everywhere" },
  "console.single_sign_on.read": { route: "GET /console/api/single_sign_on" },
  "console.single_sign_on.set": { route: "POST /console/api/single_sign_on" },
  "console.single_sign_on.delete": { route: "DELETE /console/api/single_sign_on" },
  "console.single_sign_on.find": { route: "POST /console/api/single_sign_on/find" },
  "console.single_sign_on.link": { route: "POST /console/api/single_sign_on/links" },
  "console.single_sign_on.unlink": { route: "DELETE /console/api/single_sign_on/links/{user_id}" },
  "console.single_sign_on.strangers": { route: "GET /console/api/single_sign_on/strangers" },
  "console.single_sign_on.switch": { route: "POST /console/api/single_sign_on/switch" },
  "console.single_sign_on.test": { route: "POST /console/api/single_sign_on/test" },
  "console.spend_limit_increase_requests.list": { route: "GET /console/api/spend_limit_increase_requests", pages: "page" },
  "console.spend_limit_increase_requests.retrieve": { route: "GET /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}" },
  "console.spend_limit_increase_requests.approve": { route: "POST /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}/approve" },
  "console.spend_limit_increase_requests.deny": { route: "POST /console/api/spend_limit_increase_requests/{spend_limit_increase_request_id}/deny" },
  "console.spend_limits.list": { route: "GET /console/api/spend_limits" },
  "console.spend_limits.set": { route: "POST /console/api/spend_limits" },
  "console.spend_limits.effective": { route: "GET /console/api/spend_limits/effective", pages: "page" },
  "console.spend_limits.delete": { route: "DELETE /console/api/spend_limits/{scope_id}" },
  "console.upstreams.list": { route: "GET /console/api/upstreams" },
  "console.upstreams.set": { route: "POST /console/api/upstreams" },
  "console.upstreams.health": { route: "GET /console/api/upstreams/health" },
  "console.upstreams.test": { route: "POST /console/api/upstreams/test" },
  "console.upstreams.delete": { route: "DELETE /console/api/upstreams/{upstream_name}" },
  "console.user_spend_limits.set": { route: "POST /console/api/user_spend_limits" },
  "console.user_spend_limits.delete": { route: "DELETE /console/api/user_spend_limits/{spend_limit_id}" },
  "console.webhooks.deliveries": { route: "GET /console/api/webhooks/{webhook_endpoint_id}/deliveries" },
  "console.webhooks.replay": { route: "POST /console/api/webhooks/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay" },
  "console.webhooks.test": { route: "POST /console/api/webhooks/{webhook_endpoint_id}/test" },
  "console.workspaces.list": { route: "GET /console/api/workspaces", pages: "after_id" },
  "console.workspaces.create": { route: "POST /console/api/workspaces" },
  "console.workspaces.retrieve": { route: "GET /console/api/workspaces/{workspace_id}" },
  "console.workspaces.update": { route: "POST /console/api/workspaces/{workspace_id}" },
  "console.workspaces.archive": { route: "POST /console/api/workspaces/{workspace_id}/archive" },
  "console.workspaces.candidates": { route: "GET /console/api/workspaces/{workspace_id}/candidates" },
  "console.workspaces.members.list": { route: "GET /console/api/workspaces/{workspace_id}/members", pages: "after_id" },
  "console.workspaces.members.add": { route: "POST /console/api/workspaces/{workspace_id}/members" },
  "console.workspaces.members.update": { route: "POST /console/api/workspaces/{workspace_id}/members/{user_id}" },
  "console.workspaces.members.remove": { route: "DELETE /console/api/workspaces/{workspace_id}/members/{user_id}" },
  "console.workspaces.request_bodies.retrieve": { route: "GET /console/api/workspaces/{workspace_id}/request_bodies" },
  "console.workspaces.request_bodies.update": { route: "POST /console/api/workspaces/{workspace_id}/request_bodies" },
  "console.workspaces.request_bodies.delete": { route: "DELETE /console/api/workspaces/{workspace_id}/request_bodies" },
  "console.workspaces.spend": { route: "GET /console/api/workspaces/{workspace_id}/spend" },
  "operations.health": { route: "GET /healthz" },
  "operations.metrics": { route: "GET /metrics", reply: "text" },
  "documents.openapi": { route: "GET /openapi.json" },
  "operations.ready": { route: "GET /readyz" },
  "agents.list": { route: "GET /v1/agents", beta: "managed-agents-2026-04-01", pages: "page" },
  "agents.create": { route: "POST /v1/agents", beta: "managed-agents-2026-04-01" },
  "agents.retrieve": { route: "GET /v1/agents/{agent_id}", beta: "managed-agents-2026-04-01" },
  "agents.update": { route: "POST /v1/agents/{agent_id}", beta: "managed-agents-2026-04-01" },
  "agents.archive": { route: "POST /v1/agents/{agent_id}/archive", beta: "managed-agents-2026-04-01" },
  "agents.versions.list": { route: "GET /v1/agents/{agent_id}/versions", beta: "managed-agents-2026-04-01", pages: "page" },
  "credential.retrieve": { route: "GET /v1/credential" },
  "deployment_runs.list": { route: "GET /v1/deployment_runs", beta: "managed-agents-2026-04-01", pages: "page" },
  "deployment_runs.retrieve": { route: "GET /v1/deployment_runs/{deployment_run_id}", beta: "managed-agents-2026-04-01" },
  "deployments.list": { route: "GET /v1/deployments", beta: "managed-agents-2026-04-01", pages: "page" },
  "deployments.create": { route: "POST /v1/deployments", beta: "managed-agents-2026-04-01" },
  "deployments.retrieve": { route: "GET /v1/deployments/{deployment_id}", beta: "managed-agents-2026-04-01" },
  "deployments.update": { route: "POST /v1/deployments/{deployment_id}", beta: "managed-agents-2026-04-01" },
  "deployments.archive": { route: "POST /v1/deployments/{deployment_id}/archive", beta: "managed-agents-2026-04-01" },
  "deployments.pause": { route: "POST /v1/deployments/{deployment_id}/pause", beta: "managed-agents-2026-04-01" },
  "deployments.run": { route: "POST /v1/deployments/{deployment_id}/run", beta: "managed-agents-2026-04-01" },
  "deployments.unpause": { route: "POST /v1/deployments/{deployment_id}/unpause", beta: "managed-agents-2026-04-01" },
  "environments.list": { route: "GET /v1/environments", beta: "managed-agents-2026-04-01", pages: "page" },
  "environments.create": { route: "POST /v1/environments", beta: "managed-agents-2026-04-01" },
  "environments.retrieve": { route: "GET /v1/environments/{environment_id}", beta: "managed-agents-2026-04-01" },
  "environments.update": { route: "POST /v1/environments/{environment_id}", beta: "managed-agents-2026-04-01" },
  "environments.delete": { route: "DELETE /v1/environments/{environment_id}", beta: "managed-agents-2026-04-01" },
  "environments.archive": { route: "POST /v1/environments/{environment_id}/archive", beta: "managed-agents-2026-04-01" },
  "environments.check": { route: "POST /v1/environments/{environment_id}/check", beta: "managed-agents-2026-04-01" },
  "environments.keys.list": { route: "GET /v1/environments/{environment_id}/keys", beta: "managed-agents-2026-04-01", pages: "page" },
  "environments.keys.create": { route: "POST /v1/environments/{environment_id}/keys", beta: "managed-agents-2026-04-01" },
  "environments.keys.revoke": { route: "POST /v1/environments/{environment_id}/keys/{environment_key_id}/revoke", beta: "managed-agents-2026-04-01" },
  "environments.work.list": { route: "GET /v1/environments/{environment_id}/work", beta: "managed-agents-2026-04-01", pages: "page" },
  "environments.work.poll": { route: "GET /v1/environments/{environment_id}/work/poll", beta: "managed-agents-2026-04-01" },
  "environments.work.stats": { route: "GET /v1/environments/{environment_id}/work/stats", beta: "managed-agents-2026-04-01" },
  "environments.work.retrieve": { route: "GET /v1/environments/{environment_id}/work/{work_id}", beta: "managed-agents-2026-04-01" },
  "environments.work.update": { route: "POST /v1/environments/{environment_id}/work/{work_id}", beta: "managed-agents-2026-04-01" },
  "environments.work.ack": { route: "POST /v1/environments/{environment_id}/work/{work_id}/ack", beta: "managed-agents-2026-04-01" },
  "environments.work.heartbeat": { route: "POST /v1/environments/{environment_id}/work/{work_id}/heartbeat", beta: "managed-agents-2026-04-01" },
  "environments.work.stop": { route: "POST /v1/environments/{environment_id}/work/{work_id}/stop", beta: "managed-agents-2026-04-01" },
  "files.list": { route: "GET /v1/files", pages: "page" },
  "files.upload": { route: "POST /v1/files", raw: true },
  "files.retrieve_metadata": { route: "GET /v1/files/{file_id}" },
  "files.delete": { route: "DELETE /v1/files/{file_id}" },
  "files.download": { route: "GET /v1/files/{file_id}/content", reply: "bytes" },
  "mcp_servers.list": { route: "GET /v1/mcp_servers", beta: "managed-agents-2026-04-01", pages: "page" },
  "mcp_servers.create": { route: "POST /v1/mcp_servers", beta: "managed-agents-2026-04-01" },
  "mcp_servers.retrieve": { route: "GET /v1/mcp_servers/{mcp_server_id}", beta: "managed-agents-2026-04-01" },
  "mcp_servers.update": { route: "POST /v1/mcp_servers/{mcp_server_id}", beta: "managed-agents-2026-04-01" },
  "mcp_servers.delete": { route: "DELETE /v1/mcp_servers/{mcp_server_id}", beta: "managed-agents-2026-04-01" },
  "mcp_servers.call": { route: "POST /v1/mcp_servers/{mcp_server_id}/call", beta: "managed-agents-2026-04-01" },
  "mcp_servers.connect": { route: "POST /v1/mcp_servers/{mcp_server_id}/connect", beta: "managed-agents-2026-04-01" },
  "mcp_servers.finish_connection": { route: "POST /v1/mcp_servers/{mcp_server_id}/connect/{connection_id}", beta: "managed-agents-2026-04-01" },
  "mcp_servers.page": { route: "POST /v1/mcp_servers/{mcp_server_id}/page", beta: "managed-agents-2026-04-01" },
  "mcp_servers.tools": { route: "POST /v1/mcp_servers/{mcp_server_id}/tools", beta: "managed-agents-2026-04-01" },
  "memory_stores.list": { route: "GET /v1/memory_stores", beta: "agent-memory-2026-07-22", pages: "page" },
  "memory_stores.create": { route: "POST /v1/memory_stores", beta: "agent-memory-2026-07-22" },
  "memory_stores.import": { route: "POST /v1/memory_stores/import", beta: "agent-memory-2026-07-22", raw: true },
  "memory_stores.retrieve": { route: "GET /v1/memory_stores/{memory_store_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.update": { route: "POST /v1/memory_stores/{memory_store_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.delete": { route: "DELETE /v1/memory_stores/{memory_store_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.archive": { route: "POST /v1/memory_stores/{memory_store_id}/archive", beta: "agent-memory-2026-07-22" },
  "memory_stores.export": { route: "GET /v1/memory_stores/{memory_store_id}/export", beta: "agent-memory-2026-07-22", reply: "bytes" },
  "memory_stores.memories.list": { route: "GET /v1/memory_stores/{memory_store_id}/memories", beta: "agent-memory-2026-07-22", pages: "page" },
  "memory_stores.memories.create": { route: "POST /v1/memory_stores/{memory_store_id}/memories", beta: "agent-memory-2026-07-22" },
  "memory_stores.memories.retrieve": { route: "GET /v1/memory_stores/{memory_store_id}/memories/{memory_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.memories.update": { route: "POST /v1/memory_stores/{memory_store_id}/memories/{memory_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.memories.delete": { route: "DELETE /v1/memory_stores/{memory_store_id}/memories/{memory_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.memory_versions.list": { route: "GET /v1/memory_stores/{memory_store_id}/memory_versions", beta: "agent-memory-2026-07-22", pages: "page" },
  "memory_stores.memory_versions.retrieve": { route: "GET /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}", beta: "agent-memory-2026-07-22" },
  "memory_stores.memory_versions.redact": { route: "POST /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact", beta: "agent-memory-2026-07-22" },
  "messages.create": { route: "POST /v1/messages" },
  "messages.batches.list": { route: "GET /v1/messages/batches", pages: "after_id" },
  "messages.batches.create": { route: "POST /v1/messages/batches", streamed: true },
  "messages.batches.retrieve": { route: "GET /v1/messages/batches/{message_batch_id}" },
  "messages.batches.delete": { route: "DELETE /v1/messages/batches/{message_batch_id}" },
  "messages.batches.cancel": { route: "POST /v1/messages/batches/{message_batch_id}/cancel" },
  "messages.batches.results": { route: "GET /v1/messages/batches/{message_batch_id}/results", reply: "bytes" },
  "messages.count_tokens": { route: "POST /v1/messages/count_tokens" },
  "models.list": { route: "GET /v1/models", pages: "after_id" },
  "models.retrieve": { route: "GET /v1/models/{model_id}" },
  "oauth.device_authorization": { route: "POST /v1/oauth/device_authorization" },
  "oauth.register": { route: "POST /v1/oauth/register" },
  "oauth.revoke": { route: "POST /v1/oauth/revoke" },
  "oauth.token": { route: "POST /v1/oauth/token" },
  "oauth.userinfo": { route: "GET /v1/oauth/userinfo" },
  "workspace_objects.list": { route: "GET /v1/objects", pages: "page" },
  "alert_rules.list": { route: "GET /v1/organizations/alert_rules" },
  "alert_rules.retrieve": { route: "GET /v1/organizations/alert_rules/{kind}" },
  "alert_rules.update": { route: "POST /v1/organizations/alert_rules/{kind}" },
  "alert_settings.retrieve": { route: "GET /v1/organizations/alert_settings" },
  "alert_settings.update": { route: "POST /v1/organizations/alert_settings" },
  "alerts.list": { route: "GET /v1/organizations/alerts", pages: "page" },
  "alerts.retrieve": { route: "GET /v1/organizations/alerts/{alert_id}" },
  "analytics.cost": { route: "GET /v1/organizations/analytics/cost", pages: "page" },
  "analytics.usage": { route: "GET /v1/organizations/analytics/usage", pages: "page" },
  "api_keys.list": { route: "GET /v1/organizations/api_keys", pages: "after_id" },
  "api_keys.retrieve": { route: "GET /v1/organizations/api_keys/{api_key_id}" },
  "api_keys.update": { route: "POST /v1/organizations/api_keys/{api_key_id}" },
  "audit_events.list": { route: "GET /v1/organizations/audit_events", pages: "page" },
  "cost_report.list": { route: "GET /v1/organizations/cost_report", pages: "page" },
  "federation_issuers.list": { route: "GET /v1/organizations/federation_issuers", pages: "page" },
  "federation_issuers.create": { route: "POST /v1/organizations/federation_issuers" },
  "federation_issuers.retrieve": { route: "GET /v1/organizations/federation_issuers/{federation_issuer_id}" },
  "federation_issuers.update": { route: "POST /v1/organizations/federation_issuers/{federation_issuer_id}" },
  "federation_issuers.archive": { route: "POST /v1/organizations/federation_issuers/{federation_issuer_id}/archive" },
  "federation_rules.list": { route: "GET /v1/organizations/federation_rules", pages: "page" },
  "federation_rules.create": { route: "POST /v1/organizations/federation_rules" },
  "federation_rules.retrieve": { route: "GET /v1/organizations/federation_rules/{federation_rule_id}" },
  "federation_rules.update": { route: "POST /v1/organizations/federation_rules/{federation_rule_id}" },
  "federation_rules.archive": { route: "POST /v1/organizations/federation_rules/{federation_rule_id}/archive" },
  "federation_rules.workspaces.list": { route: "GET /v1/organizations/federation_rules/{federation_rule_id}/workspaces", pages: "page" },
  "federation_rules.workspaces.add": { route: "POST /v1/organizations/federation_rules/{federation_rule_id}/workspaces" },
  "federation_rules.workspaces.remove": { route: "DELETE /v1/organizations/federation_rules/{federation_rule_id}/workspaces/{workspace_id}" },
  "invites.list": { route: "GET /v1/organizations/invites", pages: "after_id" },
  "invites.create": { route: "POST /v1/organizations/invites" },
  "invites.retrieve": { route: "GET /v1/organizations/invites/{invite_id}" },
  "invites.delete": { route: "DELETE /v1/organizations/invites/{invite_id}" },
  "limits.retrieve": { route: "GET /v1/organizations/limits" },
  "organizations.me": { route: "GET /v1/organizations/me" },
  "objects.list": { route: "GET /v1/organizations/objects", pages: "page" },
  "organizations.overview": { route: "GET /v1/organizations/overview" },
  "rate_limits.list": { route: "GET /v1/organizations/rate_limits", pages: "page" },
  "rbac_groups.list": { route: "GET /v1/organizations/rbac_groups", beta: "ce-user-management-2026-07-13", pages: "page" },
  "rbac_groups.create": { route: "POST /v1/organizations/rbac_groups", beta: "ce-user-management-2026-07-13" },
  "rbac_groups.retrieve": { route: "GET /v1/organizations/rbac_groups/{rbac_group_id}", beta: "ce-user-management-2026-07-13" },
  "rbac_groups.update": { route: "POST /v1/organizations/rbac_groups/{rbac_group_id}", beta: "ce-user-management-2026-07-13" },
  "rbac_groups.delete": { route: "DELETE /v1/organizations/rbac_groups/{rbac_group_id}", beta: "ce-user-management-2026-07-13" },
  "rbac_groups.members.list": { route: "GET /v1/organizations/rbac_groups/{rbac_group_id}/members", beta: "ce-user-management-2026-07-13", pages: "page" },
  "rbac_groups.members.add": { route: "POST /v1/organizations/rbac_groups/{rbac_group_id}/members", beta: "ce-user-management-2026-07-13" },
  "rbac_groups.members.remove": { route: "DELETE /v1/organizations/rbac_groups/{rbac_group_id}/members/{user_id}", beta: "ce-user-management-2026-07-13" },
  "rbac_roles.list": { route: "GET /v1/organizations/rbac_roles", beta: "ce-user-management-2026-07-13", pages: "page" },
  "rbac_roles.retrieve": { route: "GET /v1/organizations/rbac_roles/{rbac_role_id}", beta: "ce-user-management-2026-07-13" },
  "rbac_roles.permissions.list": { route: "GET /v1/organizations/rbac_roles/{rbac_role_id}/permissions", beta: "ce-user-management-2026-07-13", pages: "page" },
  "requests.list": { route: "GET /v1/organizations/requests", pages: "page" },
  "requests.retrieve": { route: "GET /v1/organizations/requests/{request_id}" },
  "request_bodies.retrieve": { route: "GET /v1/organizations/requests/{request_id}/body" },
  "service_accounts.list": { route: "GET /v1/organizations/service_accounts", pages: "page" },
  "service_accounts.create": { route: "POST /v1/organizations/service_accounts" },
  "service_accounts.retrieve": { route: "GET /v1/organizations/service_accounts/{service_account_id}" },
  "service_accounts.update": { route: "POST /v1/organizations/service_accounts/{service_account_id}" },
  "service_accounts.archive": { route: "POST /v1/organizations/service_accounts/{service_account_id}/archive" },
  "service_accounts.workspaces.list": { route: "GET /v1/organizations/service_accounts/{service_account_id}/workspaces", pages: "page" },
  "service_accounts.workspaces.add": { route: "POST /v1/organizations/service_accounts/{service_account_id}/workspaces" },
  "service_accounts.workspaces.remove": { route: "DELETE /v1/organizations/service_accounts/{service_account_id}/workspaces/{workspace_id}" },
  "spend_limit_increase_requests.list": { route: "GET /v1/organizations/spend_limit_increase_requests", pages: "page" },
  "spend_limit_increase_requests.retrieve": { route: "GET /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}" },
  "spend_limit_increase_requests.approve": { route: "POST /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}/approve" },
  "spend_limit_increase_requests.deny": { route: "POST /v1/organizations/spend_limit_increase_requests/{spend_limit_increase_request_id}/deny" },
  "spend_limits.list": { route: "GET /v1/organizations/spend_limits", pages: "page" },
  "spend_limits.set": { route: "POST /v1/organizations/spend_limits" },
  "spend_limits.effective": { route: "GET /v1/organizations/spend_limits/effective", pages: "page" },
  "spend_limits.retrieve": { route: "GET /v1/organizations/spend_limits/{spend_limit_id}" },
  "spend_limits.delete": { route: "DELETE /v1/organizations/spend_limits/{spend_limit_id}" },
  "usage_report.messages": { route: "GET /v1/organizations/usage_report/messages", pages: "page" },
  "users.list": { route: "GET /v1/organizations/users", pages: "after_id" },
  "users.retrieve": { route: "GET /v1/organizations/users/{user_id}" },
  "users.update": { route: "POST /v1/organizations/users/{user_id}" },
  "users.delete": { route: "DELETE /v1/organizations/users/{user_id}" },
  "users.sign_out": { route: "POST /v1/organizations/users/{user_id}/sign_out", beta: "admin-user-sign-out-2026-10-08" },
  "webhooks.list": { route: "GET /v1/organizations/webhooks", beta: "webhooks-2026-10-07", pages: "after_id" },
  "webhooks.create": { route: "POST /v1/organizations/webhooks", beta: "webhooks-2026-10-07" },
  "webhooks.retrieve": { route: "GET /v1/organizations/webhooks/{webhook_endpoint_id}", beta: "webhooks-2026-10-07" },
  "webhooks.update": { route: "POST /v1/organizations/webhooks/{webhook_endpoint_id}", beta: "webhooks-2026-10-07" },
  "webhooks.delete": { route: "DELETE /v1/organizations/webhooks/{webhook_endpoint_id}", beta: "webhooks-2026-10-07" },
  "webhooks.regenerate_signing_secret": { route: "POST /v1/organizations/webhooks/{webhook_endpoint_id}/regenerate_signing_secret", beta: "webhooks-2026-10-07" },
  "workspaces.list": { route: "GET /v1/organizations/workspaces", pages: "after_id" },
  "workspaces.create": { route: "POST /v1/organizations/workspaces" },
  "workspaces.retrieve": { route: "GET /v1/organizations/workspaces/{workspace_id}" },
  "workspaces.update": { route: "POST /v1/organizations/workspaces/{workspace_id}" },
  "workspaces.archive": { route: "POST /v1/organizations/workspaces/{workspace_id}/archive" },
  "workspaces.members.list": { route: "GET /v1/organizations/workspaces/{workspace_id}/members", pages: "after_id" },
  "workspaces.members.add": { route: "POST /v1/organizations/workspaces/{workspace_id}/members" },
  "workspaces.members.retrieve": { route: "GET /v1/organizations/workspaces/{workspace_id}/members/{user_id}" },
  "workspaces.members.update": { route: "POST /v1/organizations/workspaces/{workspace_id}/members/{user_id}" },
  "workspaces.members.remove": { route: "DELETE /v1/organizations/workspaces/{workspace_id}/members/{user_id}" },
  "workspaces.rate_limits.list": { route: "GET /v1/organizations/workspaces/{workspace_id}/rate_limits", pages: "page" },
  "workspaces.rate_limits.update": { route: "POST /v1/organizations/workspaces/{workspace_id}/rate_limits/{rate_limit_id}" },
  "workspaces.request_bodies.retrieve": { route: "GET /v1/organizations/workspaces/{workspace_id}/request_bodies" },
  "workspaces.request_bodies.update": { route: "POST /v1/organizations/workspaces/{workspace_id}/request_bodies" },
  "workspaces.request_bodies.delete": { route: "DELETE /v1/organizations/workspaces/{workspace_id}/request_bodies" },
  "workspaces.service_accounts.list": { route: "GET /v1/organizations/workspaces/{workspace_id}/service_accounts", pages: "page" },
  "workspaces.service_accounts.add": { route: "POST /v1/organizations/workspaces/{workspace_id}/service_accounts" },
  "workspaces.service_accounts.retrieve": { route: "GET /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}" },
  "workspaces.service_accounts.update": { route: "POST /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}" },
  "workspaces.service_accounts.remove": { route: "DELETE /v1/organizations/workspaces/{workspace_id}/service_accounts/{service_account_id}" },
  "sessions.list": { route: "GET /v1/sessions", beta: "managed-agents-2026-04-01", pages: "page" },
  "sessions.create": { route: "POST /v1/sessions", beta: "managed-agents-2026-04-01" },
  "sessions.retrieve": { route: "GET /v1/sessions/{session_id}", beta: "managed-agents-2026-04-01" },
  "sessions.update": { route: "POST /v1/sessions/{session_id}", beta: "managed-agents-2026-04-01" },
  "sessions.delete": { route: "DELETE /v1/sessions/{session_id}", beta: "managed-agents-2026-04-01" },
  "sessions.archive": { route: "POST /v1/sessions/{session_id}/archive", beta: "managed-agents-2026-04-01" },
  "sessions.events.list": { route: "GET /v1/sessions/{session_id}/events", beta: "managed-agents-2026-04-01", pages: "page" },
  "sessions.events.send": { route: "POST /v1/sessions/{session_id}/events", beta: "managed-agents-2026-04-01" },
  "sessions.events.stream": { route: "GET /v1/sessions/{session_id}/events/stream", beta: "managed-agents-2026-04-01" },
  "sessions.resources.list": { route: "GET /v1/sessions/{session_id}/resources", beta: "managed-agents-2026-04-01", pages: "page" },
  "sessions.resources.add": { route: "POST /v1/sessions/{session_id}/resources", beta: "managed-agents-2026-04-01" },
  "sessions.resources.retrieve": { route: "GET /v1/sessions/{session_id}/resources/{resource_id}", beta: "managed-agents-2026-04-01" },
  "sessions.resources.update": { route: "POST /v1/sessions/{session_id}/resources/{resource_id}", beta: "managed-agents-2026-04-01" },
  "sessions.resources.delete": { route: "DELETE /v1/sessions/{session_id}/resources/{resource_id}", beta: "managed-agents-2026-04-01" },
  "sessions.threads.list": { route: "GET /v1/sessions/{session_id}/threads", beta: "managed-agents-2026-04-01", pages: "page" },
  "sessions.threads.retrieve": { route: "GET /v1/sessions/{session_id}/threads/{thread_id}", beta: "managed-agents-2026-04-01" },
  "sessions.threads.archive": { route: "POST /v1/sessions/{session_id}/threads/{thread_id}/archive", beta: "managed-agents-2026-04-01" },
  "sessions.threads.events.list": { route: "GET /v1/sessions/{session_id}/threads/{thread_id}/events", beta: "managed-agents-2026-04-01", pages: "page" },
  "sessions.threads.events.stream": { route: "GET /v1/sessions/{session_id}/threads/{thread_id}/stream", beta: "managed-agents-2026-04-01" },
  "skills.list": { route: "GET /v1/skills", pages: "page" },
  "skills.create": { route: "POST /v1/skills", raw: true },
  "skills.retrieve": { route: "GET /v1/skills/{skill_id}" },
  "skills.delete": { route: "DELETE /v1/skills/{skill_id}" },
  "skills.versions.list": { route: "GET /v1/skills/{skill_id}/versions", pages: "page" },
  "skills.versions.create": { route: "POST /v1/skills/{skill_id}/versions", raw: true },
  "skills.versions.retrieve": { route: "GET /v1/skills/{skill_id}/versions/{version}" },
  "skills.versions.delete": { route: "DELETE /v1/skills/{skill_id}/versions/{version}" },
  "skills.versions.download": { route: "GET /v1/skills/{skill_id}/versions/{version}/content", reply: "bytes" },
  "vaults.list": { route: "GET /v1/vaults", beta: "managed-agents-2026-04-01", pages: "page" },
  "vaults.create": { route: "POST /v1/vaults", beta: "managed-agents-2026-04-01" },
  "vaults.retrieve": { route: "GET /v1/vaults/{vault_id}", beta: "managed-agents-2026-04-01" },
  "vaults.update": { route: "POST /v1/vaults/{vault_id}", beta: "managed-agents-2026-04-01" },
  "vaults.delete": { route: "DELETE /v1/vaults/{vault_id}", beta: "managed-agents-2026-04-01" },
  "vaults.archive": { route: "POST /v1/vaults/{vault_id}/archive", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.list": { route: "GET /v1/vaults/{vault_id}/credentials", beta: "managed-agents-2026-04-01", pages: "page" },
  "vaults.credentials.create": { route: "POST /v1/vaults/{vault_id}/credentials", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.retrieve": { route: "GET /v1/vaults/{vault_id}/credentials/{credential_id}", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.update": { route: "POST /v1/vaults/{vault_id}/credentials/{credential_id}", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.delete": { route: "DELETE /v1/vaults/{vault_id}/credentials/{credential_id}", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.archive": { route: "POST /v1/vaults/{vault_id}/credentials/{credential_id}/archive", beta: "managed-agents-2026-04-01" },
  "vaults.credentials.mcp_oauth_validate": { route: "POST /v1/vaults/{vault_id}/credentials/{credential_id}/mcp_oauth_validate", beta: "managed-agents-2026-04-01" },
  "workspace_webhooks.list": { route: "GET /v1/webhooks", pages: "after_id" },
  "workspace_webhooks.create": { route: "POST /v1/webhooks" },
  "workspace_webhooks.retrieve": { route: "GET /v1/webhooks/{webhook_endpoint_id}" },
  "workspace_webhooks.update": { route: "POST /v1/webhooks/{webhook_endpoint_id}" },
  "workspace_webhooks.delete": { route: "DELETE /v1/webhooks/{webhook_endpoint_id}" },
  "workspace_webhooks.deliveries": { route: "GET /v1/webhooks/{webhook_endpoint_id}/deliveries" },
  "workspace_webhooks.replay": { route: "POST /v1/webhooks/{webhook_endpoint_id}/deliveries/{webhook_delivery_id}/replay" },
  "workspace_webhooks.rotate_secret": { route: "POST /v1/webhooks/{webhook_endpoint_id}/rotate_secret" },
  "workspace_webhooks.test": { route: "POST /v1/webhooks/{webhook_endpoint_id}/test" },
};

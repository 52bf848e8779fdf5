// From a request's headers to its principal.
import type { IncomingHttpHeaders } from "node:http";
import { Failure, forbidden, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { CredentialKind, Principal, World } from "../../../kernel/context.ts";
import type { HttpRequest } from "../../../kernel/http/wire/http-exchange.ts";
import { single } from "../../../kernel/http/wire/dialect.ts";
import type { Authentication } from "../../../kernel/http/dispatch.ts";
import { hashSecret, secretKind } from "../../../kernel/secret/token.ts";
import * as keys from "../../keys/module.ts";
import { isWorkspacePermission, permissionsOfKey } from "./permissions.ts";
import { explainPermission } from "./refusals.ts";
import { rightsOfPerson, type Rights } from "./rights.ts";
import { authenticateToken, expectGoodAt } from "./tokens.ts";
import { expectInTime, makeWorkerAuthentication, type WorkerAuthentication } from "./workers.ts";
import * as workspaces from "../../workspaces/module.ts";
import * as signIns from "../sign_in/queries.ts";
import { limits } from "../limits.ts";

export const cookieName = "__Host-plinth";
export const signInPrefix = "sk-plinth-con-";

const workspaceHeader = "anthropic-workspace-id";

const kindOf: Record<keys.VerifiedKeyRow["kind"], CredentialKind> = {
  api: "api_key",
  admin: "admin_key",
  oauth: "oauth_token",
};

export interface Authentications extends Authentication {
  /** The same at `/mcp`, where tokens come that are good there alone. */
  atMcp: Authentication;
}

export function makeAuthentication(world: World): Authentications {
  const remembered = keys
    .verdictsOf(world)
    .makeCache((sha256, token) =>
      token.startsWith(signInPrefix) ? findSignIn(world, sha256) : Promise.resolve(undefined),
    );
  const authenticateWorker = makeWorkerAuthentication(world);
  const authenticate = (request: HttpRequest): Promise<Principal> | undefined => {
    const secret = secretOf(request);
    if (secret !== undefined) return authenticateKey(world, secret, authenticateWorker);
    const token = cookieOf(request);
    return token === undefined ? undefined : authenticateSignIn(world, remembered, request, token);
  };
  const at = (place: "api" | "mcp"): Authentication => ({
    authenticate: (request) => authenticate(request)?.then((who) => expectGoodAt(place, who)),
    selectWorkspace: (who, request, permission) => inWorkspace(world, who, request, permission),
    explain: explainPermission,
  });
  return { ...at("api"), atMcp: at("mcp") };
}

/** Rule IDN1. A credential in a header wins over the browser's cookie. */
function secretOf({ headers }: HttpRequest): string | undefined {
  const key = headers["x-api-key"];
  if (typeof key === "string" && key !== "") return key.trim();
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const bearer = /^bearer +(.+)$/i.exec(authorization)?.[1];
  if (bearer === undefined)
    throw new Failure(
      "authentication_error",
      "The authorization header does not start with Bearer. Send authorization: Bearer and the key, or x-api-key.",
    );
  return bearer.trim();
}

export function cookieOf({ headers }: HttpRequest): string | undefined {
  return headers.cookie
    ?.split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);
}

async function authenticateKey(
  world: World,
  secret: string,
  authenticateWorker: WorkerAuthentication,
): Promise<Principal> {
  const holder = (await authenticateToken(world, secret)) ?? (await authenticateWorker(secret));
  if (holder !== undefined) return holder;
  const row = await keys.verifyKey(world, secret);
  if (row === undefined) throw stranger(secret);
  let principal = principals.get(row);
  if (principal === undefined) principals.set(row, (principal = principalOf(row)));
  return principal;
}

/** Made once per remembered verdict, and forgotten with it. */
const principals = new WeakMap<keys.VerifiedKeyRow, Principal>();

function principalOf(row: keys.VerifiedKeyRow): Principal {
  return {
    kind: kindOf[row.kind],
    credentialId: row.id,
    organizationId: row.organization_id,
    organizationType: row.organization_type,
    workspaceId: row.workspace_id,
    userId: row.kind === "oauth" ? row.created_by : null,
    ...(row.created_by !== null && { keyMakerId: row.created_by }),
    name: row.name,
    permissions: permissionsOfKey(row.kind, row.organization_type, row.scopes),
  };
}

/** Rule IDN2. The checksum tells a typing error from a key of another server. */
function stranger(secret: string): Failure {
  const ours = secret.startsWith("sk-plinth-");
  return new Failure(
    "authentication_error",
    ours && secretKind(secret) === undefined
      ? "The key is damaged: a character is missing or changed. Copy it again, whole."
      : "The key is not known to this server. Check that it was made here and copied whole.",
  );
}

/** Rules IDN13 and WSP9. Credentials above workspaces work in the one that the header names. */
function inWorkspace(
  world: World,
  who: Principal,
  { headers }: HttpRequest,
  permission: string,
): Promise<Principal> | Principal {
  expectInTime(who, permission);
  const header = headers[workspaceHeader];
  const id = typeof header === "string" && header !== "" ? header : null;
  if (who.workspaceId === null)
    return isWorkspacePermission(permission) ? chooseWorkspace(world, who, id) : who;
  if (id === null || id === who.workspaceId) {
    // Rule TOK5: a person who may no longer work there may not do so by a token either.
    const isPersons = who.userId !== null && isWorkspacePermission(permission);
    return isPersons ? chooseWorkspace(world, who, who.workspaceId) : who;
  }
  throw forbidden(
    `This credential belongs to the workspace ${who.workspaceId}: the ${workspaceHeader} header cannot name another. Leave it out, or use a key of that workspace.`,
  );
}

async function chooseWorkspace(
  { db }: World,
  who: Principal,
  id: string | null,
): Promise<Principal> {
  const workspace = await workspaces.findUsableWorkspace(db, who, id);
  if (workspace === undefined) throw notFound("workspace", (id ?? "default").slice(0, 100));
  if (workspace.archived_at !== null)
    throw invalid(
      `The workspace ${workspace.id} is archived: name another in the ${workspaceHeader} header.`,
    );
  return { ...who, workspaceId: workspace.id };
}

type SignIn = signIns.SignInRow & { rights: Rights };

async function findSignIn({ db }: World, sha256: Buffer): Promise<SignIn | undefined> {
  const row = await signIns.findSignIn(db, sha256);
  if (row === undefined) return undefined;
  const { organization_id: organizationId, organization_type: organizationType } = row;
  const person = { organizationId, organizationType, userId: row.user_id, role: row.role };
  return { ...row, rights: await rightsOfPerson(db, person) };
}

async function authenticateSignIn(
  world: World,
  remembered: keys.VerdictCache<SignIn>,
  request: HttpRequest,
  token: string,
): Promise<Principal> {
  const now = world.clock.now();
  let row = await remembered(token);
  // Another process may have noted a newer use since this one remembered the sign-in.
  if (row !== undefined && idleMs(row, now) > limits.signInIdleMs)
    row = await findSignIn(world, hashSecret(token));
  if (row === undefined || row.expires_at <= now || idleMs(row, now) > limits.signInIdleMs)
    throw new Failure(
      "authentication_error",
      "The sign-in has ended. Sign in to the console again.",
    );
  expectSamePerson(request, row);
  expectSameOriginRequest(request, world);
  if (idleMs(row, now) > limits.lastSeenStepMs) await noteSeen(world, row, now);
  return {
    kind: "console",
    credentialId: row.id,
    organizationId: row.organization_id,
    organizationType: row.organization_type,
    workspaceId: null,
    userId: row.user_id,
    name: row.user_name,
    ...row.rights,
  };
}

/** Rule IDN18. A page of the console says whom it was opened by: meanwhile another person may have signed in. */
function expectSamePerson({ headers }: HttpRequest, { user_id: userId }: signIns.SignInRow): void {
  const person = headers["plinth-person"];
  if (person === undefined || person === userId) return;
  throw new Failure(
    "authentication_error",
    "Another person has signed in with this browser. Reload the page to go on as they.",
    { code: "another_person" },
  );
}

const idleMs = (row: signIns.SignInRow, now: Date) => now.getTime() - row.last_seen_at.getTime();

/** Once a minute at most, in the remembered row as well. */
async function noteSeen(world: World, row: signIns.SignInRow, now: Date): Promise<void> {
  row.last_seen_at = now;
  await world.db.tx((tx) => signIns.touchSignIn(tx, row.organization_id, row.id, now));
}

/** Rule IDN7. Browsers send an Origin with every request that is not a plain GET. */
export function expectSameOriginRequest(
  { method, headers }: Pick<HttpRequest, "method" | "headers">,
  { publicUrl, server }: Pick<World, "publicUrl" | "server">,
): void {
  if (method === "GET" || method === "HEAD") return;
  if (!isOwnOrigin(headers, new URL(publicUrl), server.proxies))
    throw forbidden(
      "A changing request with the console's cookie must come from the console's own pages. Programs use a key.",
    );
}

/**
 * The public address, exactly. Under another name (a proxy's, another of this machine's) the host that was asked
 * for, with the scheme that the trusted proxies report, if they do.
 */
function isOwnOrigin(
  { origin, host, ...headers }: IncomingHttpHeaders,
  publicUrl: URL,
  proxies: number,
) {
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (origin === publicUrl.origin) return true;
  const from = new URL(origin);
  if (from.host !== host || host === publicUrl.host) return false;
  const forwarded = proxies === 0 ? undefined : single(headers["x-forwarded-proto"])?.split(",");
  const scheme = forwarded?.at(-proxies)?.trim().toLowerCase();
  return scheme === undefined || from.protocol === `${scheme}:`;
}

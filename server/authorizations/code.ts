// The code flow: the program opened a browser, which goes back to it with a code that works once.
import { createHash } from "node:crypto";
import { forbidden } from "../../kernel/base/failure.ts";
import type { Context, RequestContext } from "../../kernel/context.ts";
import { hashSecret, isSameSecret, newSecret } from "../../kernel/secret/token.ts";
import * as audit from "../audit/module.ts";
import {
  endFamilyById,
  GrantRefusal,
  namedResource,
  openFamily,
  requiredParameter,
  tokenRefusal,
  type IssuedTokens,
  type OAuthError,
  type TokenRequest,
} from "../tokens/module.ts";
import { clientOrThrow, type Client } from "./clients/known-clients.ts";
import { describePrompt, resolveGrant, type Ask } from "./decision.ts";
import * as queries from "./queries.ts";
import { noteClientUsed } from "./clients/queries.ts";
import { limits } from "./limits.ts";
import { whereTo } from "./clients/redirects.ts";
import { requestedScopes } from "./request-checks.ts";
import type {
  AuthorizationProblem,
  AuthorizationPrompt,
  CodeAuthorizationRequest,
} from "./schema.ts";

/** Rule AUT4: what the page shows before the person has decided. */
export async function readCode(
  context: Context,
  input: CodeAuthorizationRequest,
): Promise<AuthorizationPrompt | AuthorizationProblem> {
  const client = await expectWayBack(context, input);
  try {
    return await describePrompt(context, expectAsk(context, client, input), {
      returnsTo: whereTo(input.redirect_uri),
      address: context.address,
      user_agent: context.userAgent,
      created_at: context.clock.now(),
    });
  } catch (error) {
    if (client.isOwn || !(error instanceof GrantRefusal)) throw error;
    return problemOf(context, client, input, error);
  }
}

/** Rule AUT18: a link in the page, and no redirect, since any stranger may have registered the address. */
const problemOf = (
  context: Context,
  client: Client,
  input: CodeAuthorizationRequest,
  refusal: GrantRefusal,
): AuthorizationProblem => ({
  type: "authorization_problem",
  client: client.name,
  message: refusal.message,
  returns_to: whereTo(input.redirect_uri),
  redirect_to: back(context, input, tokenRefusal(refusal).value),
});

export async function approveCode(context: Context, input: CodeAuthorizationRequest) {
  const { db, clock, random, ids, who } = context;
  const { organizationId } = who;
  const client = await expectWayBack(context, input);
  const ask = expectAsk(context, client, input);
  const { resource } = ask;
  const { scopes, workspaceId } = await resolveGrant(context, ask);
  const code = newSecret("sk-plinth-cod-", random);
  const at = clock.now();
  const id = ids.next("authz_");
  await db.tx(async (tx) => {
    await queries.insertCode(tx, organizationId, {
      id,
      clientId: client.id,
      scopes,
      workspaceId,
      resource,
      codeSha256: hashSecret(code),
      codeChallenge: input.code_challenge,
      redirectUri: input.redirect_uri,
      address: context.address,
      userAgent: context.userAgent.slice(0, 300),
      at,
      expiresAt: new Date(at.getTime() + limits.codeLifeMs),
      openedBy: who.credentialId,
      userId: who.userId ?? "",
    });
    if (!client.isOwn) await noteClientUsed(tx, client.id, at);
    await audit.recordByCaller(tx, context, {
      action: "authorization.granted",
      target: { type: "authorization", id },
      details: { ...auditedClient(client, input), scopes, workspace_id: workspaceId },
    });
  });
  return { redirect_to: back(context, input, { code }) };
}

export async function denyCode(context: Context, input: CodeAuthorizationRequest) {
  const { db, ids } = context;
  const client = await expectWayBack(context, input);
  expectAsk(context, client, input);
  await db.tx((tx) =>
    audit.recordByCaller(tx, context, {
      action: "authorization.denied",
      target: { type: "authorization", id: ids.next("authz_") },
      details: auditedClient(client, input),
    }),
  );
  return { redirect_to: back(context, input, { error: "access_denied" }) };
}

/** Rule AUT20: of one that registered itself, also what it calls itself and where it goes back to. */
const auditedClient = ({ id, name, isOwn }: Client, { redirect_uri }: CodeAuthorizationRequest) =>
  isOwn ? { client: id } : { client: id, client_name: name, returns_to: whereTo(redirect_uri) };

/** Rule AUT18: each answer says whose it is (RFC 9207). */
function back(
  { publicUrl }: Context,
  { redirect_uri, state }: CodeAuthorizationRequest,
  answer: Record<string, string>,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  url.searchParams.set("iss", publicUrl);
  return url.href;
}

/** Rules AUT6 and AUT18. Errors are shown on the page: the browser must not be sent to an unknown address. */
async function expectWayBack(
  context: Context,
  { client_id, redirect_uri }: CodeAuthorizationRequest,
): Promise<Client> {
  const client = await clientOrThrow(context, client_id);
  if (client.mayGoBackTo(redirect_uri)) return client;
  throw forbidden(
    client.isOwn
      ? "redirect_uri: must be http://127.0.0.1, http://[::1] or http://localhost with any port and the path /callback."
      : "redirect_uri: is none of those that the program registered. It has to be the same to the letter; only the port of an address on this computer may differ.",
  );
}

/** What is wrong here the program may be told, by the way back. */
function expectAsk(context: Context, client: Client, input: CodeAuthorizationRequest): Ask {
  if (input.response_type !== "code")
    throw new GrantRefusal("unsupported_response_type", "response_type: must be code.");
  if (input.code_challenge_method !== "S256")
    throw new GrantRefusal("invalid_request", "code_challenge_method: must be S256.");
  if (!/^[\w-]{43}$/.test(input.code_challenge))
    throw new GrantRefusal(
      "invalid_request",
      "code_challenge: must be a SHA-256 in base64url, 43 characters.",
    );
  const resource = namedResource(context, input.resource) ?? client.resource;
  return {
    client,
    resource,
    requested: requestedScopes(input.scope, resource),
    workspace_id: input.workspace_id ?? null,
  };
}

type Answer = { granted: IssuedTokens } | { refused: string; error?: OAuthError };

/** The refusal is thrown after the commit: a code that comes twice ends what it had granted. */
export async function redeemCode(
  context: RequestContext,
  request: TokenRequest,
): Promise<IssuedTokens> {
  const { db, clock } = context;
  const code = requiredParameter(request, "code");
  const verifier = requiredParameter(request, "code_verifier");
  const clientId = requiredParameter(request, "client_id");
  const redirectUri = requiredParameter(request, "redirect_uri");
  const resource = namedResource(context, request.resource);
  const answer = await db.tx(async (tx): Promise<Answer> => {
    const row = await queries.lockCode(tx, hashSecret(code));
    if (row === undefined) return { refused: "code: is unknown." };
    if (row.used_at !== null) {
      const why = "a code came a second time";
      await endFamilyById(tx, context, row.organization_id ?? "", row.family_id ?? "", why);
      return { refused: "code: was used before; what it granted has ended." };
    }
    const now = clock.now();
    if (row.expires_at <= now) return { refused: "code: has expired." };
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const fits =
      row.client_id === clientId &&
      row.redirect_uri === redirectUri &&
      isSameSecret(challenge, row.code_challenge ?? "");
    if (!fits)
      return { refused: "code_verifier, client_id or redirect_uri is not that of the request." };
    if (resource !== undefined && resource !== row.resource)
      return { error: "invalid_target", refused: "resource: is not that of the request." };
    const { familyId, ...granted } = await openFamily(tx, context, {
      organizationId: row.organization_id ?? "",
      userId: row.user_id ?? "",
      clientId: row.client_id,
      scopes: row.scopes,
      workspaceId: row.workspace_id,
      resource: row.resource,
    });
    await queries.noteUsed(tx, row.id, now, familyId);
    return { granted };
  });
  if ("granted" in answer) return answer.granted;
  throw new GrantRefusal(answer.error ?? "invalid_grant", answer.refused);
}

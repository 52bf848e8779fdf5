// Families of refresh tokens: a chain of which only the newest is valid.
import type { RequestContext, World } from "../../kernel/context.ts";
import { hashSecret, newSecret, secretPrefixes } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import { verdictsOf } from "../keys/module.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries-families.ts";
import { GrantRefusal } from "./refusal.ts";
import { fewerScopes, namedResource } from "./resources.ts";
import type { TokenRequest, TokenResource } from "./schema.ts";
import { issueToken } from "./service.ts";

export interface OpenFamily {
  organizationId: string;
  userId: string;
  clientId: string;
  scopes: readonly string[];
  /** Null: every workspace of the organization. */
  workspaceId: string | null;
  /** What its tokens are for alone; the API where it is not named. */
  resource?: TokenResource | null;
}

/** The endpoint's answer. */
export interface IssuedTokens {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  scope: string;
  refresh_token?: string;
}

/** A program's sign-in in a person's name, which the caller has verified; in the caller's transaction. */
export async function openFamily(
  tx: Tx,
  context: RequestContext,
  input: OpenFamily,
): Promise<IssuedTokens & { familyId: string }> {
  const at = context.clock.now();
  const familyId = context.ids.next("ogr_");
  await queries.insertFamily(tx, input.organizationId, {
    ...input,
    resource: input.resource ?? null,
    id: familyId,
    at,
    expiresAt: new Date(at.getTime() + limits.familyIdleMs),
    address: context.address,
    userAgent: context.userAgent.slice(0, limits.userAgentCharactersMax),
  });
  return { familyId, ...(await giveTokens(tx, context, { ...input, familyId }, 1)) };
}

async function giveTokens(
  tx: Tx,
  world: World,
  family: OpenFamily & { familyId: string },
  generation: number,
): Promise<IssuedTokens> {
  const { organizationId, familyId, scopes, workspaceId } = family;
  const access = await issueToken(tx, world, {
    organizationId,
    for: { userId: family.userId },
    familyId,
    scopes,
    workspaceId,
    lifetimeMs: limits.accessTokenMs,
  });
  const refresh = newSecret(secretPrefixes.refresh, world.random);
  await queries.insertRefresh(tx, organizationId, {
    secretSha256: hashSecret(refresh),
    familyId,
    generation,
    at: world.clock.now(),
  });
  return {
    access_token: access.secret,
    token_type: "Bearer",
    expires_in: limits.accessTokenMs / 1000,
    scope: scopes.join(" "),
    refresh_token: refresh,
  };
}

/** A refresh token as it comes, and what is wanted of it. */
export interface Redemption {
  secret: string;
  clientId: string;
  asked: Pick<TokenRequest, "resource" | "scope">;
}

/** Rules TOK7 to TOK9. The end of a family is committed before the refusal goes out. */
export async function redeemRefreshToken(
  context: RequestContext,
  redemption: Redemption,
): Promise<IssuedTokens> {
  const arrivedAt = context.clock.now();
  const outcome = await context.db.tx((tx) => redeemIn(tx, context, redemption, arrivedAt));
  if (typeof outcome !== "string") return outcome;
  throw new GrantRefusal("invalid_grant", outcome, { reason: "refresh_token" });
}

async function redeemIn(
  tx: Tx,
  context: RequestContext,
  { secret, clientId, asked }: Redemption,
  arrivedAt: Date,
): Promise<IssuedTokens | string> {
  const at = context.clock.now();
  const secretSha256 = hashSecret(secret);
  const family = await queries.lockFamilyOf(tx, secretSha256);
  if (family === undefined || family.client_id !== clientId)
    return "The refresh token is not known, or belongs to another client. Sign in again.";
  const { organization_id: organizationId, id: familyId } = family;
  if (family.revoked_at !== null || family.expires_at <= at)
    return "The sign-in that this refresh token belongs to has ended. Sign in again.";
  const token = await queries.findRefresh(tx, organizationId, secretSha256);
  if (token === undefined) return "The refresh token is not known. Sign in again.";
  if (token.used_at !== null) return refuseReuse(tx, context, family, token, arrivedAt);
  const scopes = scopesAsked(context, family, asked);
  const expiresAt = new Date(at.getTime() + limits.familyIdleMs);
  await queries.touchFamily(tx, organizationId, familyId, { at, expiresAt });
  const { user_id: userId, workspace_id: workspaceId, resource } = family;
  const next = { organizationId, userId, clientId, scopes, workspaceId, resource, familyId };
  const granted = await giveTokens(tx, context, next, token.generation + 1);
  // Last: a request that arrived before this commit then counts as one from before it.
  await queries.markRefreshTokenUsed(tx, organizationId, secretSha256, context.clock.now());
  return granted;
}

/** Rules TOK9 and TOK13: refused before anything is written, so the refresh token stays good. */
function scopesAsked(
  context: RequestContext,
  family: Pick<queries.FamilyRow, "scopes" | "resource">,
  { resource, scope }: Redemption["asked"],
): readonly string[] {
  const named = namedResource(context, resource);
  if (named !== undefined && named !== family.resource)
    throw new GrantRefusal("invalid_target", "resource: is not what the sign-in was granted for.");
  return fewerScopes(family.scopes, scope);
}

/** Rule TOK8: one of the two holders is a thief, and the server cannot tell which. */
async function refuseReuse(
  tx: Tx,
  context: RequestContext,
  family: queries.FamilyRow,
  { used_at }: queries.RefreshTokenRow,
  arrivedAt: Date,
): Promise<string> {
  if (used_at !== null && arrivedAt < used_at)
    return "The refresh token was being used at the same time. Use the one that came of it.";
  await endFamily(tx, context, family, "a refresh token came a second time");
  return "The refresh token was used before. The sign-in that it belongs to has been ended: sign in again.";
}

export async function endFamily(
  tx: Tx,
  context: RequestContext,
  family: Pick<queries.FamilyRow, "id" | "organization_id" | "user_id" | "user_name">,
  why: string,
): Promise<void> {
  const { organization_id: organizationId, id } = family;
  await queries.revokeFamily(tx, organizationId, id, context.clock.now());
  await verdictsOf(context).revoke(tx);
  const actor: audit.AuditActor = {
    type: "user",
    id: family.user_id,
    name: family.user_name,
    address: context.address,
    requestId: context.requestId,
  };
  await audit.record(tx, context, actor, {
    organizationId,
    action: "program_sign_in.ended",
    target: { type: "program_sign_in", id },
    details: { why },
  });
}

/** Ends a program's sign-in, named by a code or a person; only that person's own, where one is named. */
export async function endFamilyById(
  tx: Tx,
  context: RequestContext,
  organizationId: string,
  id: string,
  why: string,
  userId?: string,
): Promise<boolean> {
  const family = await queries.lockFamily(tx, organizationId, id);
  if (family?.revoked_at !== null) return false;
  if (userId !== undefined && family.user_id !== userId) return false;
  await endFamily(tx, context, family, why);
  return true;
}

/** Ends the sign-in that a secret belongs to, old or new; an unknown secret is ignored. */
export async function endFamilyOf(context: RequestContext, secret: string): Promise<void> {
  const sha256 = hashSecret(secret);
  await context.db.tx(async (tx) => {
    const family =
      (await queries.lockFamilyOf(tx, sha256)) ?? (await queries.lockFamilyOfAccess(tx, sha256));
    if (family?.revoked_at === null) await endFamily(tx, context, family, "it was given back");
  });
}

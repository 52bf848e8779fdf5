// Access tokens: made for a short time, verified often, and dead at once after a revocation.
import { unauthenticated } from "../../kernel/base/failure.ts";
import type { World } from "../../kernel/context.ts";
import { hashSecret, newSecret, secretKind, secretPrefixes } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { part } from "../../kernel/work/parts.ts";
import { verdictsOf, verdictsPart } from "../keys/module.ts";
import * as families from "./queries-families.ts";
import * as queries from "./queries.ts";

export interface IssueToken {
  organizationId: string;
  /** The person or service account that it acts for. */
  for: { userId: string } | { serviceAccountId: string };
  scopes: readonly string[];
  /** Null: the whole organization. */
  workspaceId: string | null;
  lifetimeMs: number;
  familyId?: string;
  ruleId?: string;
}

/** Rule TOK1: inside the transaction of the caller that found it allowed. */
export async function issueToken(tx: Tx, world: World, input: IssueToken) {
  const secret = newSecret(secretPrefixes.access, world.random);
  const createdAt = world.clock.now();
  const id = world.ids.next("oat_");
  await queries.insertToken(tx, input.organizationId, {
    id,
    secretSha256: hashSecret(secret),
    userId: "userId" in input.for ? input.for.userId : null,
    serviceAccountId: "serviceAccountId" in input.for ? input.for.serviceAccountId : null,
    familyId: input.familyId ?? null,
    ruleId: input.ruleId ?? null,
    scopes: input.scopes,
    workspaceId: input.workspaceId,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + input.lifetimeMs),
  });
  return { id, secret };
}

/** A process forgets its tokens together with its keys. */
export const verifiedTokensPart = part("verified tokens", {
  needs: [verdictsPart],
  make: (world: World) =>
    verdictsOf(world).makeCache((sha256, secret) =>
      secretKind(secret) === "access"
        ? queries.findBySecret(world.db, sha256)
        : Promise.resolve(undefined),
    ),
});

/** Rules TOK2 and TOK4: the row behind a valid token, undefined when this server never made it. */
export async function verifyToken(
  world: World,
  secret: string,
): Promise<queries.TokenRow | undefined> {
  const row = await verifiedTokensPart.of(world)(secret);
  if (row === undefined) return undefined;
  const why = whyDead(row, world.clock.now());
  if (why !== undefined) throw unauthenticated(`The access token ${row.id} ${why}`);
  return row;
}

function whyDead(row: queries.TokenRow, now: Date): string | undefined {
  if (row.expires_at <= now)
    return `expired at ${row.expires_at.toISOString()}. Fetch another one at the token endpoint, or sign in again.`;
  if (row.family_revoked) return "belongs to a sign-in that was ended. Sign in again.";
  if (row.account_archived) return "belongs to a service account that is archived.";
  if (row.workspace_archived)
    return `belongs to the workspace ${row.workspace_id}, which is archived.`;
  if (row.service_account_id !== null && row.workspace_id !== null && !row.is_member)
    return `works in the workspace ${row.workspace_id} alone, of which its service account is no member any more.`;
  return undefined;
}

/** A person who is removed or deactivated loses all tokens: in the transaction that does it. */
export async function endTokensOfUser(
  tx: Tx,
  world: World,
  organizationId: string,
  userId: string,
): Promise<void> {
  await queries.deleteTokensOfUser(tx, organizationId, userId);
  await families.deleteFamiliesOfUser(tx, organizationId, userId);
  await verdictsOf(world).revoke(tx);
}

export async function endTokensOfAccount(
  tx: Tx,
  world: World,
  organizationId: string,
  accountId: string,
): Promise<void> {
  await queries.deleteTokensOfAccount(tx, organizationId, accountId);
  await verdictsOf(world).revoke(tx);
}

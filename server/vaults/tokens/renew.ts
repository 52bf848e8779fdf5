// The token of a credential, renewed where it is due: by one process at a time, of all.
import assert from "node:assert/strict";
import type { World } from "../../../kernel/context.ts";
import { unavailable } from "../../../kernel/base/failure.ts";
import { part } from "../../../kernel/work/parts.ts";
import type { Lease } from "../../../kernel/work/lease.ts";
import { recordChanges, renewing, type VaultChange } from "../events.ts";
import { limits } from "../limits.ts";
import type { OauthSecret } from "../credentials/auth.ts";
import * as queries from "../credentials/queries.ts";
import type { RefreshOutcome, ShownOf } from "../credentials/schema.ts";
import { openSecret, sealSecret } from "../credentials/secret.ts";
import { askForToken, type TokenAnswer } from "./endpoint.ts";

export interface TokenOwner extends queries.CredentialName {
  workspaceId: string;
}

/** What stands behind `Bearer`, and what became of an attempt to renew it, where there was one. */
export interface HeldToken {
  token: string;
  refresh: RefreshOutcome | null;
}

/** `always`: also where the token endpoint has refused for good, as when a person tries it. */
type Renewing = "always" | "never" | "unless_refused";

/** Undefined where the credential is gone or archived, or is none for a server. Renewed where it ends soon. */
export async function currentToken(
  world: World,
  owner: TokenOwner,
  renewing: Renewing = "unless_refused",
): Promise<HeldToken | undefined> {
  const found = await findToken(world, owner);
  if (found === undefined) return undefined;
  const { token, row } = found;
  return isDue(world, row) && mayRenew(row, renewing)
    ? renew(world, owner, token)
    : { token, refresh: null };
}

/**
 * The server has refused the token. Where it is not the stored one any more, another process, or a person, was
 * faster: then the stored one is tried, and nothing is renewed.
 */
export async function refreshAfter401(
  world: World,
  owner: TokenOwner,
  refusedToken: string,
  renewing: Renewing = "unless_refused",
): Promise<HeldToken | undefined> {
  const found = await findToken(world, owner);
  if (found === undefined) return undefined;
  const { token, row } = found;
  if (token !== refusedToken || row.auth.type !== "mcp_oauth" || !mayRenew(row, renewing))
    return { token, refresh: null };
  return renew(world, owner, refusedToken);
}

const mayRenew = (row: queries.CredentialRow, renewing: Renewing): boolean =>
  renewing === "always" || (renewing === "unless_refused" && row.refreshFailingSince === null);

function isDue({ clock }: World, { auth }: queries.CredentialRow): boolean {
  if (auth.type !== "mcp_oauth" || auth.refresh === null || auth.expires_at === null) return false;
  return Date.parse(auth.expires_at) - clock.now().getTime() < limits.refreshBeforeMs;
}

interface FoundToken {
  token: string;
  row: queries.CredentialRow;
}

async function findToken(world: World, owner: TokenOwner): Promise<FoundToken | undefined> {
  const row = await queries.findCredential(world.db, owner.workspaceId, owner);
  const secret = row && openSecret(world, row);
  if (secret === undefined || row === undefined) return undefined;
  if ("token" in secret) return { token: secret.token, row };
  return "access_token" in secret ? { token: secret.access_token, row } : undefined;
}

/** Renewals under way, by credential. */
export const renewalsPart = part("renewals of tokens", {
  make: () => new Map<string, Promise<HeldToken | undefined>>(),
});

/** The requests of this process wait for one attempt together. */
function renew(world: World, owner: TokenOwner, old: string): Promise<HeldToken | undefined> {
  const attempts = renewalsPart.of(world);
  const before = attempts.get(owner.id);
  if (before !== undefined) return before;
  const attempt = renewAmongAll(world, owner, old).finally(() => attempts.delete(owner.id));
  attempts.set(owner.id, attempt);
  return attempt;
}

/** Until the token is another one, or an attempt of this process or of another one has failed. */
async function renewAmongAll(
  world: World,
  owner: TokenOwner,
  old: string,
): Promise<HeldToken | undefined> {
  const { clock, db, ids } = world;
  const first = await findToken(world, owner);
  for (let waitedMs = 0; waitedMs <= waitMsMax; waitedMs += limits.refreshLookMs) {
    const found = waitedMs === 0 ? first : await findToken(world, owner);
    if (found === undefined) return undefined;
    const { token, row } = found;
    if (token !== old) return { token, refresh: succeeded };
    const { refresh } = row.auth as ShownOf<"mcp_oauth">;
    if (refresh === null) return { token, refresh: { ...none, status: "no_refresh_token" } };
    if (row.failedRefreshes !== first?.row.failedRefreshes)
      return { token, refresh: { ...none, status: "failed" } };
    const claiming = { owner: ids.next("renewal_"), leaseMs: limits.refreshLeaseMs };
    const lease = await queries.claimRefresh(db, row, claiming);
    if (lease !== undefined) return renewUnder(world, lease, row);
    await clock.sleep(limits.refreshLookMs);
  }
  throw unavailable("Another process of this server renews the token, and takes long.");
}

const none = { http_response: null } as const;
const succeeded: RefreshOutcome = { ...none, status: "succeeded" };
/** A process that died has lost its lease by then, and another one has had time to try. */
const waitMsMax = limits.refreshLeaseMs + limits.refreshTimeoutMs;

async function renewUnder(
  world: World,
  lease: Lease,
  row: queries.CredentialRow,
): Promise<HeldToken | undefined> {
  try {
    const secret = openSecret(world, row) as OauthSecret;
    const { refresh } = row.auth as ShownOf<"mcp_oauth">;
    assert(refresh !== null, `the credential ${row.id} has nothing to renew its token with`);
    const answer = await askForToken(world, refresh, secret);
    return await keep(world, lease, { read: row, secret, answer });
  } finally {
    await queries.refreshLeases.release(world.db, [lease]);
  }
}

interface Attempt {
  read: queries.CredentialRow;
  secret: OauthSecret;
  answer: TokenAnswer;
}

/** What was changed meanwhile stays as it is: the new tokens are of what was there before. */
async function keep(
  world: World,
  lease: Lease,
  { read, secret, answer }: Attempt,
): Promise<HeldToken | undefined> {
  return world.db.tx(async (tx) => {
    const row = await queries.lockRefreshed(tx, lease);
    const stored = row && (openSecret(world, row) as OauthSecret | undefined);
    if (row === undefined || stored === undefined) return undefined;
    if (row.secretVersion !== read.secretVersion)
      return { token: stored.access_token, refresh: null };
    const next = answer.tokens
      ? renewed(world, row, secret, answer.tokens)
      : {
          ...row,
          failedRefreshes: row.failedRefreshes + 1,
          refreshFailingSince: answer.isFinal
            ? (row.refreshFailingSince ?? world.clock.now())
            : row.refreshFailingSince,
        };
    await queries.setCredential(tx, row.workspaceId, next);
    const { organizationId, workspaceId, vaultId, id } = row;
    const whose = { organizationId, workspaceId, actor: renewing };
    const changes = changesOf(answer, row, next.refreshFailingSince);
    await recordChanges(
      tx,
      world,
      whose,
      changes.map((change) => ({ ...change, id, vaultId })),
    );
    return answer.tokens
      ? { token: answer.tokens.accessToken, refresh: succeeded }
      : { token: stored.access_token, refresh: answer.outcome };
  });
}

/** Rule VCR13. */
function changesOf(
  answer: TokenAnswer,
  before: queries.CredentialRow,
  failingSince: Date | null,
): Pick<VaultChange, "action" | "details">[] {
  if (answer.tokens) return [{ action: "vault_credential.refreshed" }];
  if (failingSince === null || before.refreshFailingSince !== null) return [];
  const details = { status_code: answer.outcome.http_response?.status_code };
  return [{ action: "vault_credential.refresh_failed", details }];
}

function renewed(
  world: World,
  row: queries.CredentialRow,
  secret: OauthSecret,
  { accessToken, refreshToken, expiresAt }: NonNullable<TokenAnswer["tokens"]>,
) {
  const next: OauthSecret = {
    ...secret,
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
  };
  const now = world.clock.now();
  return {
    ...row,
    auth: {
      ...(row.auth as ShownOf<"mcp_oauth">),
      expires_at: expiresAt?.toISOString() ?? null,
    },
    secret: sealSecret(world, row.id, next),
    secretVersion: row.secretVersion + 1,
    failedRefreshes: 0,
    refreshFailingSince: null,
    updatedAt: now < row.updatedAt ? row.updatedAt : now,
  };
}

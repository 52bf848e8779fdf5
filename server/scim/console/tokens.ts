// Tokens of identity providers: made, shown once, listed and revoked by owners in the console.
import assert from "node:assert/strict";
import { Failure, invalid, notFound } from "../../../kernel/base/failure.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import type { Context, Principal, World } from "../../../kernel/context.ts";
import type { Authentication } from "../../../kernel/http/dispatch.ts";
import type { HttpRequest } from "../../../kernel/http/wire/http-exchange.ts";
import {
  hashSecret,
  newSecret,
  secretHint,
  secretKind,
  secretPrefixes,
} from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import * as keys from "../../keys/module.ts";
import * as queries from "./queries-tokens.ts";
import { limits } from "../limits.ts";

const permission = "scim:provision";
const permissions: ReadonlySet<string> = new Set([permission]);

/** Rules SCM10 and SCM11: no other credential opens SCIM, and this one opens nothing else. */
export function makeAuthentication(world: World): Authentication {
  const remembered = keys
    .verdictsOf(world)
    .makeCache((sha256, secret) =>
      secretKind(secret) === "scim"
        ? queries.findBySecret(world.db, sha256)
        : Promise.resolve(undefined),
    );
  return {
    authenticate: async (request) => {
      const secret = bearerOf(request);
      if (secret === undefined) return undefined;
      const row = await remembered(secret);
      if (row === undefined)
        throw new Failure(
          "authentication_error",
          "The token is not one of SCIM, or was revoked. Make one in the console, on the page SCIM, and give it to the identity provider whole.",
        );
      return principalOf(row);
    },
    explain: () => "the token is not one of SCIM; make one in the console.",
  };
}

function bearerOf({ headers }: HttpRequest): string | undefined {
  return /^bearer +(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
}

const principalOf = (row: queries.VerifiedRow): Principal => ({
  kind: "scim_token",
  credentialId: row.id,
  organizationId: row.organization_id,
  organizationType: row.organization_type,
  workspaceId: null,
  userId: null,
  name: row.provider ?? row.name,
  permissions,
});

/** The actor of the provider's acts. */
export const providerActor = ({ who, address, requestId }: Context): audit.AuditActor => ({
  type: "identity_provider",
  id: who.credentialId,
  name: who.name,
  address,
  requestId,
});

export interface NewToken {
  organizationId: string;
  name: string;
  createdBy: string;
}

/** Rule SCM12. */
export async function issueToken(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
  { organizationId, name, createdBy }: NewToken,
) {
  if ((await queries.lockTokens(tx, organizationId)) >= limits.tokensPerOrganizationMax)
    throw invalid(
      `There are ${limits.tokensPerOrganizationMax} tokens already: one in use and one to change to. Revoke one first.`,
    );
  const secret = newSecret(secretPrefixes.scim, world.random);
  const id = world.ids.next("scimtok_");
  await queries.insertToken(tx, organizationId, {
    id,
    name,
    secretSha256: hashSecret(secret),
    hint: secretHint(secret),
    createdBy,
    createdAt: world.clock.now(),
  });
  const act = { organizationId, action: "scim_token.created", target: targetOf(id) };
  await audit.record(tx, world, actor, { ...act, details: { name } });
  return { id, secret };
}

export async function createToken(context: Context, input: { name: string }) {
  const { db, who } = context;
  const name = cleanName("name", input.name, limits.tokenNameCharactersMax);
  const { organizationId } = who;
  return db.tx(async (tx) => {
    const input = { organizationId, name, createdBy: who.userId ?? "" };
    const { id, secret } = await issueToken(tx, context, audit.actorOf(context), input);
    const row = (await queries.listTokens(tx, organizationId, 10)).find((token) => token.id === id);
    assert(row !== undefined, `the token ${id} is gone`);
    return { ...toToken(row), secret };
  });
}

export async function listTokens({ db, who }: Context) {
  const rows = await queries.listTokens(db, who.organizationId, limits.tokensPerOrganizationMax);
  return { data: rows.map(toToken) };
}

/** Rule SCM13: on every process within a second. */
export async function revokeToken(context: Context, id: string) {
  const { db, who } = context;
  await db.tx(async (tx) => {
    const name = await queries.deleteToken(tx, who.organizationId, id);
    if (name === undefined) throw notFound("SCIM token", id);
    await keys.verdictsOf(context).revoke(tx);
    await audit.recordByCaller(tx, context, {
      action: "scim_token.revoked",
      target: targetOf(id),
      details: { name },
    });
  });
  return { id, type: "scim_token_deleted" as const };
}

const targetOf = (id: string) => ({ type: "scim_token", id });

const toToken = (row: queries.TokenRow) => ({
  id: row.id,
  type: "scim_token" as const,
  name: row.name,
  partial_token_hint: row.hint,
  created_at: row.created_at.toISOString(),
  created_by: { id: row.created_by, name: row.created_by_name },
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

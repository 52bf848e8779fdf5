// Keys of environments: for the programs that run tools outside of this server.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import { cleanName } from "../../../kernel/base/name.ts";
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import {
  hashSecret,
  newSecret,
  secretHint,
  secretKind,
  secretPrefixes,
} from "../../../kernel/secret/token.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { actorOf, recordByCaller } from "../../audit/module.ts";
import { verdictsOf } from "../../keys/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { findEnvironment } from "../queries.ts";
import type { CreateEnvironmentKey, EnvironmentKey, KeyQuery } from "../schema.ts";
import { lockEnvironment, lockOpenEnvironment } from "../service.ts";
import * as queries from "./queries.ts";

export async function createKey(
  context: Context,
  environmentId: string,
  body: CreateEnvironmentKey,
): Promise<EnvironmentKey & { secret: string }> {
  const { db, ids, clock, random, who } = context;
  const name = body.name == null ? null : cleanName("name", body.name, limits.keyNameCharactersMax);
  const secret = newSecret(secretPrefixes.environment, random);
  const key: queries.KeyRow = {
    id: ids.next("envkey_"),
    environmentId,
    name,
    hint: secretHint(secret),
    createdBy: actorOf(context).id ?? who.credentialId,
    createdAt: clock.now(),
    revokedAt: null,
  };
  await db.tx(async (tx) => {
    await expectRoomForKey(tx, context, environmentId);
    const { organizationId } = who;
    const stored = { ...key, organizationId, secretSha256: hashSecret(secret) };
    await queries.insertKey(tx, workspaceOf(context), stored);
    await recordKeyEvent(tx, context, "created", key);
  });
  return { ...present(key), secret };
}

async function expectRoomForKey(tx: Tx, context: Context, environmentId: string): Promise<void> {
  const { config } = await lockOpenEnvironment(tx, context, environmentId);
  if (config.type !== "self_hosted")
    throw invalid(
      `The environment ${environmentId} is a cloud environment: this server runs its tools. Keys are for workers of an environment with config.type self_hosted.`,
    );
  const keys = await queries.countKeys(tx, workspaceOf(context), environmentId);
  if (keys >= limits.keysPerEnvironment)
    throw invalid(
      `The environment ${environmentId} has ${keys} keys, and ${limits.keysPerEnvironment} are allowed. Revoke one that no worker uses.`,
      { code: "environment_key_limit_exceeded" },
    );
}

export async function listKeys(context: Context, environmentId: string, query: KeyQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  if ((await findEnvironment(db, workspaceId, environmentId)) === undefined)
    throw notFound("environment", environmentId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = `environment keys ${environmentId}`;
  const before = cursors.read(list, workspaceId, query.page) as string | undefined;
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listKeys(db, workspaceId, environmentId, window);
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

/** A second time it changes nothing. */
export async function revokeKey(
  context: Context,
  environmentId: string,
  id: string,
): Promise<EnvironmentKey> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    await lockEnvironment(tx, context, environmentId);
    const key = await queries.findKey(tx, workspaceId, environmentId, id);
    if (key === undefined) throw notFound("environment key", id);
    if (key.revokedAt !== null) return present(key);
    const revokedAt = clock.now();
    await queries.setRevoked(tx, workspaceId, id, revokedAt);
    await verdictsOf(context).revoke(tx);
    await recordKeyEvent(tx, context, "revoked", key);
    return present({ ...key, revokedAt });
  });
}

/** Whose a secret is; undefined where this server never made it, or where its environment is deleted. */
export const findEnvironmentKey = async (
  on: Queryable,
  secret: string,
): Promise<queries.KnownEnvironmentKey | undefined> =>
  // The checksum keeps typing errors, and noise, from the database.
  secretKind(secret) === "environment" ? queries.findBySecret(on, hashSecret(secret)) : undefined;

const recordKeyEvent = (tx: Tx, context: Context, verb: string, key: queries.KeyRow) =>
  recordByCaller(tx, context, {
    action: `environment_key.${verb}`,
    target: { type: "environment_key", id: key.id },
    details: { environment_id: key.environmentId },
  });

const present = (key: queries.KeyRow): EnvironmentKey => ({
  id: key.id,
  type: "environment_key",
  environment_id: key.environmentId,
  name: key.name,
  partial_key_hint: key.hint,
  created_by: key.createdBy,
  created_at: key.createdAt.toISOString(),
  revoked_at: key.revokedAt?.toISOString() ?? null,
});

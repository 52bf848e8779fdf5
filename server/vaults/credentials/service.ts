// Creates, shows, lists, changes, archives and deletes credentials of a vault.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { conflict, invalid, notFound } from "../../../kernel/base/failure.ts";
import { expectMetadata, patchedMetadata } from "../../../kernel/base/metadata.ts";
import type { Context } from "../../../kernel/context.ts";
import { withoutTold } from "../../../kernel/http/input/told-fields.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { recordByCaller } from "../events.ts";
import { limits } from "../limits.ts";
import { findVault } from "../queries.ts";
import type { VaultQuery } from "../schema.ts";
import { displayNameOf, later, lockOpenVault } from "../service.ts";
import { changedAuth, newAuth, slotOf, type Auth } from "./auth.ts";
import * as queries from "./queries.ts";
import { openSecret, sealSecret } from "./secret.ts";
import type { CreateCredential, Credential, CredentialParams, UpdateCredential } from "./schema.ts";

export async function createCredential(
  context: Context,
  vaultId: string,
  body: CreateCredential,
): Promise<Credential> {
  const { display_name: name, metadata = {} } = body;
  const row = newRow(context, vaultId, newAuth(context, body.auth), {
    displayName: name == null ? null : displayNameOf(name),
    metadata: expectMetadata(metadata ?? {}),
  });
  await context.db.tx(async (tx) => {
    await lockOpenVault(tx, context, vaultId);
    await expectRoom(tx, vaultId);
    await expectFreeSlot(tx, row);
    await insertCredential(tx, context, row);
  });
  return presentCredential(row);
}

export function newRow(
  context: Context,
  vaultId: string,
  { shown, secret }: Auth,
  facts: Pick<queries.CredentialRow, "displayName" | "metadata">,
): queries.CredentialRow {
  const now = context.clock.now();
  const id = context.ids.next("vcrd_");
  return {
    id,
    vaultId,
    ...facts,
    auth: shown,
    slot: slotOf(shown),
    secret: sealSecret(context, id, secret),
    secretVersion: 1,
    failedRefreshes: 0,
    refreshFailingSince: null,
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
}

export async function insertCredential(
  tx: Tx,
  context: Context,
  row: queries.CredentialRow,
): Promise<void> {
  const { who } = context;
  const owned = { ...row, organizationId: who.organizationId };
  await queries.insertCredential(tx, workspaceOf(context), owned);
  await recordCredential(tx, context, "created", row, { auth_type: row.auth.type });
}

export async function expectRoom(tx: Tx, vaultId: string): Promise<void> {
  const { live, all } = await queries.countCredentials(tx, vaultId);
  const { credentialsPerVault, credentialRecordsPerVault } = limits;
  if (live < credentialsPerVault && all < credentialRecordsPerVault) return;
  const [has, most, remedy] =
    live >= credentialsPerVault
      ? [`${live} credentials`, credentialsPerVault, "Archive or delete one that is not used"]
      : [
          `${all} credentials with those that are archived`,
          credentialRecordsPerVault,
          "Delete some",
        ];
  throw invalid(`The vault ${vaultId} has ${has}, and ${most} are allowed. ${remedy} first.`, {
    code: "vault_credential_limit_exceeded",
  });
}

/** Rule VCR8. */
async function expectFreeSlot(
  tx: Tx,
  { vaultId, slot, auth }: Pick<queries.CredentialRow, "vaultId" | "slot" | "auth">,
): Promise<void> {
  const holder = await queries.findBySlot(tx, vaultId, slot);
  if (holder === undefined) return;
  const field = auth.type === "environment_variable" ? "auth.secret_name" : "auth.mcp_server_url";
  throw conflict(
    `${field}: the credential ${holder} of this vault is for the same one already. Update it, or archive it first.`,
    { code: "vault_credential_exists" },
  );
}

export async function retrieveCredential(
  context: Context,
  params: CredentialParams,
): Promise<Credential> {
  return presentCredential(await expectCredential(context, params));
}

export async function expectCredential(
  context: Context,
  { vault_id: vaultId, credential_id: id }: CredentialParams,
): Promise<queries.CredentialRow> {
  const row = await queries.findCredential(context.db, workspaceOf(context), { vaultId, id });
  if (row === undefined) throw notFound("credential", id);
  return row;
}

export async function listCredentials(context: Context, vaultId: string, query: VaultQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  if ((await findVault(db, workspaceId, vaultId)) === undefined) throw notFound("vault", vaultId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = `credentials of ${vaultId}`;
  const before = cursors.read(list, workspaceId, query.page) as string | undefined;
  const rows = await queries.listCredentials(db, workspaceId, vaultId, {
    includesArchived: query.include_archived ?? false,
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write(list, workspaceId, id));
  return { ...page, data: page.data.map(presentCredential) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateCredential(
  context: Context,
  params: CredentialParams,
  body: UpdateCredential,
): Promise<Credential> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    const row = await lockOpenCredential(tx, context, params);
    const { vault_id: told, ...given } = withoutTold(row.id, body);
    if (told !== undefined && told !== row.vaultId)
      throw invalid(`vault_id: is ${row.vaultId}, and stays so; leave it out.`);
    const secret = openSecret(context, row);
    assert(secret !== undefined, `the credential ${row.id} is open and has no secret`);
    const before: Auth = { shown: row.auth, secret };
    const after = given.auth == null ? before : changedAuth(context, before, given.auth);
    const facts = {
      displayName: changedName(row.displayName, given.display_name),
      metadata: patchedMetadata(row.metadata, given.metadata),
    };
    const fields = changedFields(row, before, after, facts);
    if (fields.length === 0) return presentCredential(row);
    const isOtherAuth = fields.some((field) => field.startsWith("auth."));
    const next: queries.CredentialRow = {
      ...row,
      ...facts,
      auth: after.shown,
      ...(isOtherAuth && {
        secret: sealSecret(context, row.id, after.secret),
        secretVersion: row.secretVersion + 1,
        failedRefreshes: 0,
        refreshFailingSince: null,
      }),
      updatedAt: later(row, clock.now()),
    };
    await queries.setCredential(tx, workspaceId, next);
    await recordCredential(tx, context, "updated", row, { fields });
    return presentCredential(next);
  });
}

const changedName = (before: string | null, given: string | null | undefined): string | null =>
  given === undefined ? before : given === null ? null : displayNameOf(given);

/** By their names in the API: what secrets are and were is told to nobody. */
function changedFields(
  row: queries.CredentialRow,
  before: Auth,
  after: Auth,
  facts: Pick<queries.CredentialRow, "displayName" | "metadata">,
): string[] {
  const differing = (prefix: string, one: object, other: object) =>
    Object.keys({ ...one, ...other })
      .filter(
        (key) =>
          !isDeepStrictEqual(
            (one as Record<string, unknown>)[key],
            (other as Record<string, unknown>)[key],
          ),
      )
      .map((key) => prefix + key);
  return [
    ...(facts.displayName === row.displayName ? [] : ["display_name"]),
    ...(isDeepStrictEqual(facts.metadata, row.metadata) ? [] : ["metadata"]),
    ...differing("auth.", before.shown, after.shown),
    ...differing("auth.", before.secret, after.secret),
  ];
}

/** Its secret is gone at once. A second time it changes nothing. */
export async function archiveCredential(
  context: Context,
  params: CredentialParams,
): Promise<Credential> {
  return context.db.tx(async (tx) => {
    const row = await lockCredential(tx, context, params);
    if (row.archivedAt !== null) return presentCredential(row);
    return presentCredential(await setArchived(tx, context, row));
  });
}

export async function setArchived(
  tx: Tx,
  context: Context,
  row: queries.CredentialRow,
): Promise<queries.CredentialRow> {
  const at = later(row, context.clock.now());
  const gone = { secret: null, secretVersion: row.secretVersion + 1 };
  const next = { ...row, ...gone, updatedAt: at, archivedAt: at };
  await queries.setCredential(tx, workspaceOf(context), next);
  await recordCredential(tx, context, "archived", row);
  return next;
}

export async function deleteCredential(context: Context, params: CredentialParams) {
  const { credential_id: id } = params;
  await context.db.tx(async (tx) => {
    const row = await lockCredential(tx, context, params);
    await queries.deleteCredential(tx, workspaceOf(context), id);
    await recordCredential(tx, context, "deleted", row);
  });
  return { id, type: "vault_credential_deleted" as const };
}

async function lockCredential(
  tx: Tx,
  context: Context,
  { vault_id: vaultId, credential_id: id }: CredentialParams,
): Promise<queries.CredentialRow> {
  const row = await queries.lockCredential(tx, workspaceOf(context), { vaultId, id });
  if (row === undefined) throw notFound("credential", id);
  return row;
}

async function lockOpenCredential(
  tx: Tx,
  context: Context,
  params: CredentialParams,
): Promise<queries.CredentialRow> {
  const row = await lockCredential(tx, context, params);
  if (row.archivedAt !== null) throw archivedCredential(row.id);
  return row;
}

export const archivedCredential = (id: string) =>
  invalid(`The credential ${id} is archived, and its secret is gone. Make another one.`, {
    code: "vault_credential_archived",
  });

export const recordCredential = (
  tx: Tx,
  context: Context,
  verb: "created" | "updated" | "archived" | "deleted" | "validated",
  { id, vaultId }: Pick<queries.CredentialRow, "id" | "vaultId">,
  details: Record<string, unknown> = {},
) => recordByCaller(tx, context, { action: `vault_credential.${verb}`, id, vaultId, details });

const presentCredential = (row: queries.CredentialRow): Credential => ({
  id: row.id,
  type: "vault_credential",
  vault_id: row.vaultId,
  auth: row.auth,
  display_name: row.displayName,
  metadata: row.metadata,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  archived_at: row.archivedAt?.toISOString() ?? null,
});

// Creates, shows, lists, changes, archives and deletes vaults.
import { isDeepStrictEqual } from "node:util";
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { expectMetadata, patchedMetadata } from "../../kernel/base/metadata.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { withoutTold } from "../../kernel/http/input/told-fields.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { lockOrganization, workspaceOf } from "../workspaces/module.ts";
import { archiveAll, deleteAll } from "./credentials/queries.ts";
import { ofEach, recordByCaller } from "./events.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { CreateVault, UpdateVault, Vault, VaultQuery } from "./schema.ts";

export async function createVault(context: Context, body: CreateVault): Promise<Vault> {
  const { db, ids, clock, who } = context;
  const workspaceId = workspaceOf(context);
  const now = clock.now();
  const row: queries.VaultRow = {
    id: ids.next("vlt_"),
    displayName: displayNameOf(body.display_name),
    metadata: expectMetadata(body.metadata ?? {}),
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
  const { organizationId } = who;
  await db.tx(async (tx) => {
    // A concurrent creation waits for this one, and then counts its vault too.
    await lockOrganization(tx, organizationId);
    const vaults = await queries.countVaults(tx, workspaceId);
    if (vaults >= limits.vaultsPerWorkspace)
      throw invalid(
        `The workspace has ${vaults} vaults, and ${limits.vaultsPerWorkspace} are allowed. Delete some first.`,
        { code: "vault_limit_exceeded" },
      );
    await queries.insertVault(tx, workspaceId, { ...row, organizationId });
    await recordByCaller(tx, context, { action: "vault.created", id: row.id });
  });
  return present(row);
}

export async function retrieveVault(context: Context, id: string): Promise<Vault> {
  const row = await queries.findVault(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("vault", id);
  return present(row);
}

export async function listVaults(context: Context, query: VaultQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("vaults", workspaceId, query.page) as string | undefined;
  const rows = await queries.listVaults(db, workspaceId, {
    includesArchived: query.include_archived ?? false,
    before: before ?? null,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("vaults", workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

/** What is not named stays, and so does `updated_at` where nothing changes. */
export async function updateVault(context: Context, id: string, body: UpdateVault): Promise<Vault> {
  const { db, clock } = context;
  return db.tx(async (tx) => {
    const row = await lockOpenVault(tx, context, id);
    const { display_name: name, metadata } = withoutTold(id, body);
    const changed = {
      ...row,
      displayName: name == null ? row.displayName : displayNameOf(name),
      metadata: patchedMetadata(row.metadata, metadata),
    };
    if (isDeepStrictEqual(changed, row)) return present(row);
    const next = { ...changed, updatedAt: later(row, clock.now()) };
    await queries.setVault(tx, workspaceOf(context), next);
    const fields = (["displayName", "metadata"] as const).filter(
      (field) => !isDeepStrictEqual(row[field], next[field]),
    );
    await recordByCaller(tx, context, {
      action: "vault.updated",
      id,
      details: {
        fields: fields.map((field) => (field === "displayName" ? "display_name" : field)),
      },
    });
    return present(next);
  });
}

/** Its credentials with it. A second time it changes nothing. */
export async function archiveVault(context: Context, id: string): Promise<Vault> {
  const { db, clock } = context;
  const workspaceId = workspaceOf(context);
  return db.tx(async (tx) => {
    const row = await lockVault(tx, context, id);
    if (row.archivedAt !== null) return present(row);
    const at = later(row, clock.now());
    const next = { ...row, updatedAt: at, archivedAt: at };
    await queries.setVault(tx, workspaceId, next);
    const credentials = await archiveAll(tx, workspaceId, id, at);
    await recordByCaller(
      tx,
      context,
      { action: "vault.archived", id },
      ...ofEach("vault_credential.archived", id, credentials),
    );
    return present(next);
  });
}

/** Its credentials, and their secrets, are gone with it. */
export async function deleteVault(context: Context, id: string) {
  await context.db.tx(async (tx) => {
    await lockVault(tx, context, id);
    const credentials = await deleteAll(tx, workspaceOf(context), id);
    await queries.deleteVault(tx, workspaceOf(context), id);
    await recordByCaller(tx, context, ...ofEach("vault_credential.deleted", id, credentials), {
      action: "vault.deleted",
      id,
    });
  });
  return { id, type: "vault_deleted" as const };
}

async function lockVault(tx: Tx, context: Context, id: string): Promise<queries.VaultRow> {
  const row = await queries.lockVault(tx, workspaceOf(context), id);
  if (row === undefined) throw notFound("vault", id);
  return row;
}

export async function lockOpenVault(
  tx: Tx,
  context: Context,
  id: string,
): Promise<queries.VaultRow> {
  const row = await lockVault(tx, context, id);
  if (row.archivedAt === null) return row;
  throw invalid(`The vault ${id} is archived: it is changed no more. Make another one.`, {
    code: "vault_archived",
  });
}

export const displayNameOf = (name: string) =>
  cleanName("display_name", name, limits.displayNameCharactersMax);

/** Another process may have a clock that runs ahead of this one's. */
export const later = ({ updatedAt }: { updatedAt: Date }, now: Date) =>
  now < updatedAt ? updatedAt : now;

const present = (row: queries.VaultRow): Vault => ({
  id: row.id,
  type: "vault",
  display_name: row.displayName,
  metadata: row.metadata,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  archived_at: row.archivedAt?.toISOString() ?? null,
});

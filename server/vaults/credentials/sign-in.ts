// The token of a sign-in at an MCP server's authorization server, in place of one that was there for that address.
import { conflict, notFound } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { findVault } from "../queries.ts";
import { lockOpenVault } from "../service.ts";
import { newAuth, serverSlot } from "./auth.ts";
import * as queries from "./queries.ts";
import type { AuthOf } from "./schema.ts";
import * as credentials from "./service.ts";

/** The vault takes such a token: one that was put there by hand for the address is never replaced. */
export async function expectOauthPlace(
  tx: Tx,
  context: Context,
  vaultId: string,
  url: string,
): Promise<queries.CredentialRow | undefined> {
  const workspaceId = workspaceOf(context);
  const vault = await findVault(tx, workspaceId, vaultId);
  if (vault === undefined) throw notFound("vault", vaultId, { code: "vault_not_found" });
  await lockOpenVault(tx, context, vaultId);
  const id = await queries.findBySlot(tx, vaultId, serverSlot(url));
  const held =
    id === undefined ? undefined : await queries.lockCredential(tx, workspaceId, { vaultId, id });
  if (held === undefined) await credentials.expectRoom(tx, vaultId);
  if (held === undefined || held.auth.type === "mcp_oauth") return held;
  throw conflict(
    `vault_id: the credential ${held.id} of this vault holds a token for ${url} that was put there by hand. Archive it first, or name another vault.`,
    { code: "vault_credential_exists" },
  );
}

/** The one before is archived, since the client that a token is for never changes. */
export async function putOauth(
  tx: Tx,
  context: Context,
  vaultId: string,
  auth: AuthOf<"mcp_oauth">,
): Promise<{ id: string }> {
  const made = newAuth(context, auth);
  const before = await expectOauthPlace(tx, context, vaultId, auth.mcp_server_url);
  const row = credentials.newRow(context, vaultId, made, {
    displayName: before?.displayName ?? null,
    metadata: before?.metadata ?? {},
  });
  if (before !== undefined) await credentials.setArchived(tx, context, before);
  await credentials.insertCredential(tx, context, row);
  return row;
}

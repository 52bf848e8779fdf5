// Tries a credential at its MCP server, and tells what became of it.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import type { CredentialParams, CredentialValidation, ShownAuth } from "../credentials/schema.ts";
import { openSecret } from "../credentials/secret.ts";
import { archivedCredential, expectCredential, recordCredential } from "../credentials/service.ts";
import { isRefusal, probeServer, type Probe } from "./probe.ts";
import { currentToken, refreshAfter401, type HeldToken } from "./renew.ts";

export async function validateCredential(
  context: Context,
  params: CredentialParams,
): Promise<CredentialValidation> {
  const { db, clock } = context;
  const row = await expectCredential(context, params);
  const { id, vaultId, auth } = row;
  if (row.archivedAt !== null) throw archivedCredential(id);
  if (auth.type === "environment_variable")
    throw invalid(
      `The credential ${id} is an environment_variable: there is no MCP server that it could be tried at.`,
    );
  const owner = { workspaceId: workspaceOf(context), vaultId, id };
  const first = await currentToken(context, owner, "always");
  if (first === undefined) throw archivedCredential(id);
  const { held, probe } = await tryToken(context, auth.mcp_server_url, first, (refused) =>
    refreshAfter401(context, owner, refused, "always"),
  );
  const status = verdictOf(probe);
  await db.tx((tx) => recordCredential(tx, context, "validated", row, { status }));
  const secret = openSecret(context, row);
  return {
    type: "vault_credential_validation",
    credential_id: id,
    vault_id: vaultId,
    status,
    validated_at: clock.now().toISOString(),
    has_refresh_token: secret !== undefined && "refresh_token" in secret,
    mcp_probe: status === "valid" ? null : { method: probe.method, http_response: probe.response },
    refresh: refreshShown(auth, held, probe),
  };
}

interface Tried {
  held: HeldToken;
  probe: Probe;
}

/** A token that was renewed before and is refused nevertheless is not renewed again. */
async function tryToken(
  context: Context,
  url: string,
  held: HeldToken,
  renew: (refused: string) => Promise<HeldToken | undefined>,
): Promise<Tried> {
  const probe = await probeServer(context, url, held.token);
  if (!isUnauthorized(probe) || held.refresh !== null) return { held, probe };
  const next = await renew(held.token);
  if (next === undefined || next.token === held.token) return { held: next ?? held, probe };
  return { held: next, probe: await probeServer(context, url, next.token) };
}

const isUnauthorized = ({ response }: Probe) => response?.status_code === 401;

function verdictOf(probe: Probe): CredentialValidation["status"] {
  if (probe.isMcp) return "valid";
  return isRefusal(probe) ? "invalid" : "unknown";
}

function refreshShown(
  auth: ShownAuth,
  { refresh }: HeldToken,
  probe: Probe,
): CredentialValidation["refresh"] {
  return auth.type === "static_bearer" && isUnauthorized(probe)
    ? { status: "no_refresh_token", http_response: null }
    : refresh;
}

// Tries a credential at its MCP server, and tells what became of it.
import { invalid } from "../../../kernel/base/failure.ts";
import type { Context, World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import type { ShownAuth } from "../credentials/schema.ts";
import type {
  CredentialParams,
  CredentialValidation,
  HttpResponse,
} from "../credentials/schema.ts";
import { shownBytesRead, shownResponse } from "./shown-response.ts";
import {
  archivedCredential,
  expectCredential,
  openSecret,
  recordCredential,
} from "../credentials/service.ts";
import { currentToken, refreshAfter401, type HeldToken } from "./renew.ts";

const method = "initialize";

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
  const status = verdictOf(probe?.status_code);
  await db.tx((tx) => recordCredential(tx, context, "validated", row, { status }));
  const secret = openSecret(context, row);
  return {
    type: "vault_credential_validation",
    credential_id: id,
    vault_id: vaultId,
    status,
    validated_at: clock.now().toISOString(),
    has_refresh_token: secret !== undefined && "refresh_token" in secret,
    mcp_probe: status === "valid" ? null : { method, http_response: probe },
    refresh: refreshShown(auth, held, probe),
  };
}

interface Tried {
  held: HeldToken;
  probe: HttpResponse | null;
}

/** A token that was renewed before and is refused nevertheless is not renewed again. */
async function tryToken(
  context: Context,
  url: string,
  held: HeldToken,
  renew: (refused: string) => Promise<HeldToken | undefined>,
): Promise<Tried> {
  const probe = await probeServer(context, url, held.token);
  if (probe?.status_code !== 401 || held.refresh !== null) return { held, probe };
  const next = await renew(held.token);
  if (next === undefined || next.token === held.token) return { held: next ?? held, probe };
  return { held: next, probe: await probeServer(context, url, next.token) };
}

function verdictOf(status: number | undefined): CredentialValidation["status"] {
  if (status === undefined) return "unknown";
  if (status >= 200 && status < 300) return "valid";
  return status === 401 || status === 403 ? "invalid" : "unknown";
}

function refreshShown(
  auth: ShownAuth,
  { refresh }: HeldToken,
  probe: HttpResponse | null,
): CredentialValidation["refresh"] {
  const isRefused = probe?.status_code === 401;
  return auth.type === "static_bearer" && isRefused
    ? { status: "no_refresh_token", http_response: null }
    : refresh;
}

/** Null where no answer came. */
async function probeServer(world: World, url: string, token: string): Promise<HttpResponse | null> {
  try {
    const answer = await fetchOutside(world, url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method,
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "plinth", version: world.server.version },
        },
      }),
      bytesMax: shownBytesRead,
      timeoutMs: limits.probeTimeoutMs,
      takesRedirects: true,
      cutsBody: true,
    });
    return shownResponse(answer, [token]);
  } catch (error) {
    if (error instanceof OutsideFailure) return null;
    throw error;
  }
}

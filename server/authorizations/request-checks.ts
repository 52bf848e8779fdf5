// Checks of what programs ask for: which of them may, for what, and how the token endpoint refuses.
import { delegatePermission } from "../identity/module.ts";
import { GrantRefusal, tokenScopes, type TokenScope } from "../tokens/module.ts";
import { clients } from "./schema.ts";

export function expectClient(id: string): { name: string } {
  const client = Object.hasOwn(clients, id) ? clients[id] : undefined;
  if (client === undefined)
    throw new GrantRefusal(
      "invalid_client",
      `client_id: there is no client ${JSON.stringify(id)}.`,
    );
  return client;
}

/** In the order of the table, each once. */
export function requestedScopes(text: string | undefined): TokenScope[] {
  const requested = new Set((text ?? "workspace:inference").split(/\s+/).filter(Boolean));
  const unknown = [...requested].find((scope) => !isScope(scope));
  if (unknown !== undefined || requested.size === 0)
    throw new GrantRefusal(
      "invalid_scope",
      `scope: ${JSON.stringify(unknown ?? "")} is none of ${tokenScopes.join(", ")}.`,
    );
  return tokenScopes.filter((scope) => requested.has(scope));
}

/** Rule AUT7. */
export function grantableScopes(
  requested: readonly string[],
  permissions: ReadonlySet<string>,
): TokenScope[] {
  const needs: Record<TokenScope, string> = {
    "org:admin": delegatePermission,
    "workspace:developer": "messages:use",
    "workspace:inference": "messages:use",
  };
  return tokenScopes.filter((scope) => requested.includes(scope) && permissions.has(needs[scope]));
}

const isScope = (text: string): boolean => (tokenScopes as readonly string[]).includes(text);

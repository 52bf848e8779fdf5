// What programs ask for: which of them may, for what, and how the answer of the token endpoint says no.
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
  const asked = new Set((text ?? "workspace:inference").split(/\s+/).filter(Boolean));
  const unknown = [...asked].find((scope) => !isScope(scope));
  if (unknown !== undefined || asked.size === 0)
    throw new GrantRefusal(
      "invalid_scope",
      `scope: ${JSON.stringify(unknown ?? "")} is none of ${tokenScopes.join(", ")}.`,
    );
  return tokenScopes.filter((scope) => asked.has(scope));
}

/** Rule AUT7. */
export function grantableScopes(
  asked: readonly string[],
  permissions: ReadonlySet<string>,
): TokenScope[] {
  const needs: Record<TokenScope, string> = {
    "org:admin": delegatePermission,
    "workspace:developer": "messages:use",
    "workspace:inference": "messages:use",
  };
  return tokenScopes.filter((scope) => asked.includes(scope) && permissions.has(needs[scope]));
}

const isScope = (text: string): boolean => (tokenScopes as readonly string[]).includes(text);

// Checks of what programs ask for: for what, and what of it a person can give.
import { delegatePermission } from "../identity/module.ts";
import {
  GrantRefusal,
  resourceScopes,
  scopesIn,
  tokenScopes,
  type ResourceScope,
  type TokenResource,
  type TokenScope,
} from "../tokens/module.ts";

export type AnyScope = TokenScope | ResourceScope;

const scopesOf = (resource: TokenResource | null): readonly AnyScope[] =>
  resource === null ? tokenScopes : resourceScopes[resource];

/** In the order of the table, each once. */
export function requestedScopes(
  text: string | undefined,
  resource: TokenResource | null = null,
): AnyScope[] {
  const known = scopesOf(resource);
  const requested = new Set(scopesIn(text ?? (resource === null ? "workspace:inference" : "")));
  // A request without any means all that there is for the resource.
  if (resource !== null && requested.size === 0) return [...known];
  const unknown = [...requested].find((scope) => !(known as readonly string[]).includes(scope));
  if (unknown !== undefined || requested.size === 0)
    throw new GrantRefusal(
      "invalid_scope",
      `scope: ${JSON.stringify(unknown?.slice(0, 100) ?? "")} is none of ${known.join(", ")}.`,
    );
  return known.filter((scope) => requested.has(scope));
}

/** Rule AUT7. */
export function grantableScopes(
  requested: readonly AnyScope[],
  permissions: ReadonlySet<string>,
): AnyScope[] {
  const needs: Record<AnyScope, string> = {
    "org:admin": delegatePermission,
    "workspace:developer": "messages:use",
    "workspace:inference": "messages:use",
    mcp: "messages:use",
  };
  return requested.filter((scope) => permissions.has(needs[scope]));
}

// What programs read before they ask: where this server gives tokens, and what the MCP server wants.
import type { World } from "../../../kernel/context.ts";
import { addressOfResource, resourceScopes } from "../../tokens/module.ts";
import { scopeDescriptions } from "../schema.ts";

type Place = Pick<World, "publicUrl">;

/** Rule AUT14 (RFC 8414). */
export const metadata = ({ publicUrl }: Place) => ({
  issuer: publicUrl,
  authorization_endpoint: `${publicUrl}/authorize`,
  token_endpoint: `${publicUrl}/v1/oauth/token`,
  registration_endpoint: `${publicUrl}/v1/oauth/register`,
  device_authorization_endpoint: `${publicUrl}/v1/oauth/device_authorization`,
  revocation_endpoint: `${publicUrl}/v1/oauth/revoke`,
  userinfo_endpoint: `${publicUrl}/v1/oauth/userinfo`,
  response_types_supported: ["code"],
  grant_types_supported: [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code",
    "urn:ietf:params:oauth:grant-type:jwt-bearer",
  ],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  scopes_supported: [...Object.keys(scopeDescriptions), "offline_access"],
});

/** Rule AUT13 (RFC 9728). */
export const protectedResource = (place: Place) => ({
  resource: addressOfResource(place, "mcp"),
  authorization_servers: [place.publicUrl],
  scopes_supported: [...resourceScopes.mcp],
  bearer_methods_supported: ["header"],
  resource_name: "Plinth",
});

export const protectedResourcePath = "/.well-known/oauth-protected-resource";

/** Rule AUT13: what `/mcp` says with a 401, so that a client which knows its address alone finds the way in. */
export function mcpChallenge(
  { publicUrl }: Place,
  { error, scope = resourceScopes.mcp.join(" ") }: { error?: "invalid_token"; scope?: string } = {},
): string {
  const told = {
    realm: "plinth",
    ...(error !== undefined && { error }),
    resource_metadata: `${publicUrl}${protectedResourcePath}/mcp`,
    scope,
  };
  const pairs = Object.entries(told).map(([name, value]) => `${name}="${value}"`);
  return `Bearer ${pairs.join(", ")}`;
}

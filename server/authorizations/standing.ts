// What stands once access is granted: whose token it is, how it ends, and where programs read how to ask.
import type { Context, RequestContext } from "../../kernel/context.ts";
import { userOrThrow } from "../identity/module.ts";
import * as organizations from "../organizations/module.ts";
import { endFamilyOf, findScopes } from "../tokens/module.ts";
import { scopes, type Revoke } from "./schema.ts";

/** Rule AUT9. */
export async function revoke(context: RequestContext, { token }: Revoke) {
  await endFamilyOf(context, token);
  return {};
}

/** Rule AUT10. */
export async function userinfo(context: Context) {
  const { db, who } = context;
  const organization = await organizations.findOrganization(db, who.organizationId);
  const scopes = await findScopes(db, who.organizationId, who.credentialId);
  const user =
    who.userId === null ? undefined : await userOrThrow(db, who.organizationId, who.userId);
  return {
    sub: who.userId ?? who.serviceAccountId ?? who.credentialId,
    name: user?.name ?? who.name,
    email: user?.email ?? null,
    organization: {
      id: who.organizationId,
      type: who.organizationType,
      name: organization?.name ?? "",
    },
    workspace_id: who.workspaceId,
    scope: scopes.join(" "),
  };
}

export function metadata({ publicUrl }: RequestContext) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${publicUrl}/v1/oauth/token`,
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
    scopes_supported: Object.keys(scopes),
  };
}

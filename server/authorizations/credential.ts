// What a credential of a program is told about itself.
import assert from "node:assert/strict";
import type { Context } from "../../kernel/context.ts";
import { userOrThrow } from "../identity/module.ts";
import { findKeyScopes } from "../keys/module.ts";
import * as organizations from "../organizations/module.ts";
import { findScopes } from "../tokens/module.ts";
import { findWorkspace } from "../workspaces/module.ts";
import { programCredentials } from "./schema.ts";

/** Rule AUT24. */
export async function retrieveCredential({ db, who }: Context) {
  const { organizationId, credentialId: id, workspaceId, userId, worker } = who;
  const kind = programCredentials.find((each) => each === who.kind);
  assert(kind !== undefined, "the route takes programs alone");
  const organization = await organizations.findOrganization(db, organizationId);
  const workspace =
    workspaceId === null ? undefined : await findWorkspace(db, organizationId, workspaceId);
  const user = userId === null ? undefined : await userOrThrow(db, organizationId, userId);
  const ofToken = kind === "oauth_token" ? await findScopes(db, organizationId, id) : [];
  const scopes = ofToken.length > 0 ? ofToken : await findKeyScopes(db, organizationId, id);
  return {
    id,
    type: "credential" as const,
    kind,
    name: who.name,
    organization: {
      id: organizationId,
      type: who.organizationType,
      name: organization?.name ?? "",
    },
    workspace: workspace === undefined ? null : { id: workspace.id, name: workspace.name },
    user: user === undefined ? null : { id: user.id, name: user.name, email: user.email },
    service_account_id: who.serviceAccountId ?? null,
    environment_id: worker?.environmentId ?? null,
    session_id: worker?.sessionId ?? null,
    scopes,
    permissions: [...who.permissions].sort(),
  };
}

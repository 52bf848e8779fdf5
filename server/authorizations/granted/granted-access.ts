// Granted access: whose token it is, what a person has granted, and how it ends.
import assert from "node:assert/strict";
import { notFound } from "../../../kernel/base/failure.ts";
import type { Context, RequestContext } from "../../../kernel/context.ts";
import { userOrThrow } from "../../identity/module.ts";
import { findKeyScopes } from "../../keys/module.ts";
import * as organizations from "../../organizations/module.ts";
import { endFamilyById, endFamilyOf, findScopes, listFamilies } from "../../tokens/module.ts";
import { findWorkspace } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { ownClient } from "../clients/known-clients.ts";
import { namesOfClients } from "../clients/queries.ts";
import { programCredentials, type Revoke } from "../schema.ts";

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

/** Rule AUT12. */
export async function programSignIns({ db, clock, who }: Context) {
  const rows = await listFamilies(db, who.organizationId, who.userId ?? "", {
    now: clock.now(),
    rows: limits.programSignInsShownMax,
  });
  const ids = rows.map(({ client_id }) => client_id);
  const names = await namesOfClients(db, ids);
  return {
    data: rows.map((row) => ({
      id: row.id,
      type: "program_sign_in" as const,
      client: ownClient(row.client_id)?.name ?? names.get(row.client_id) ?? row.client_id,
      scopes: row.scopes,
      workspace_id: row.workspace_id,
      created_at: row.created_at.toISOString(),
      last_used_at: row.last_used_at.toISOString(),
      address: row.address,
      user_agent: row.user_agent,
    })),
  };
}

export async function endProgramSignIn(context: Context, id: string) {
  const { db, who } = context;
  const ended = await db.tx((tx) =>
    endFamilyById(tx, context, who.organizationId, id, "its person ended it", who.userId ?? ""),
  );
  if (!ended) throw notFound("sign-in of a program", id);
  return { id, type: "program_sign_in_deleted" as const };
}

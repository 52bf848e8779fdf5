// A person's decision: what they read, and what follows from it.
import { forbidden, invalid, notFound, rateLimited } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as audit from "../audit/module.ts";
import * as organizations from "../organizations/module.ts";
import * as workspaces from "../workspaces/module.ts";
import type { TokenResource } from "../tokens/module.ts";
import { ownClient, unknownClient, type Client } from "./clients/known-clients.ts";
import { grantableScopes, requestedScopes, type AnyScope } from "./request-checks.ts";
import { cleanUserCode } from "./device.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import {
  scopeDescriptions as scopeWords,
  type AuthorizationPrompt,
  type UserCode,
} from "./schema.ts";

export interface Ask {
  client: Client;
  requested: readonly AnyScope[];
  workspace_id: string | null;
  resource: TokenResource | null;
}

interface Facts {
  returnsTo: string | null;
  address: string;
  user_agent: string;
  created_at: Date;
}

/** Rule AUT4. */
export async function describePrompt(
  context: Context,
  { client, requested, workspace_id, resource }: Ask,
  facts: Facts,
): Promise<AuthorizationPrompt> {
  const { db, who } = context;
  const scopes = grantableScopes(requested, who.permissions);
  const organization = await organizations.findOrganization(db, who.organizationId);
  const workspace = workspace_id === null ? null : await workspaceOrThrow(context, workspace_id);
  return {
    type: "authorization_prompt",
    client: client.name,
    is_verified: client.isOwn,
    returns_to: facts.returnsTo,
    scopes: scopes.map((scope) => ({ scope, means: scopeWords[scope] })),
    refused: requested.filter((scope) => !scopes.includes(scope)),
    person: who.name,
    organization: organization?.name ?? "",
    workspace: workspace?.name ?? null,
    needs_workspace: resource !== null && workspace === null,
    address: facts.address,
    user_agent: facts.user_agent,
    at: facts.created_at.toISOString(),
  };
}

/** Rules AUT7, AUT8 and AUT19. */
export async function resolveGrant(context: Context, { requested, ...ask }: Ask) {
  const scopes = grantableScopes(requested, context.who.permissions);
  if (scopes.length === 0)
    throw forbidden(
      `scope: your role gives nothing of ${requested.join(", ")}; ask an administrator or owner of the organization for a role that has it.`,
    );
  if (ask.workspace_id !== null) await workspaceOrThrow(context, ask.workspace_id);
  else if (ask.resource !== null)
    throw invalid("workspace_id: say in which workspace; this access is to one alone.");
  return { scopes, workspaceId: ask.workspace_id };
}

async function workspaceOrThrow({ db, who }: Context, id: string) {
  const workspace = await workspaces.findWorkspace(db, who.organizationId, id);
  const isUsable = (await workspaces.findUsableWorkspace(db, who, id)) !== undefined;
  if (workspace === undefined || !isUsable) throw notFound("workspace", id);
  if (workspace.archived_at !== null) throw invalid(`workspace_id: workspace ${id} is archived.`);
  return workspace;
}

/** Rule AUT4: the person who looks at a code is the one who may decide. */
export async function openDevice(context: Context, input: UserCode): Promise<AuthorizationPrompt> {
  const { db, who } = context;
  await expectFewGuesses(context);
  const row = await db.tx(async (tx) => {
    const found = await waiting(context, tx, input);
    if (found !== undefined) await queries.noteOpened(tx, found.id, who.credentialId);
    return found;
  });
  if (row === undefined) throw await guessed(context);
  return describePrompt(context, askOf(row), { ...row, returnsTo: null });
}

export async function decideDevice(
  context: Context,
  input: UserCode,
  decision: "granted" | "denied",
) {
  const { db, who, clock } = context;
  const { organizationId } = who;
  await expectFewGuesses(context);
  const found = await db.tx(async (tx) => {
    const row = await waiting(context, tx, input);
    if (row === undefined || row.opened_by !== who.credentialId) return undefined;
    const { scopes } = decision === "granted" ? await resolveGrant(context, askOf(row)) : row;
    await queries.decide(tx, organizationId, row.id, {
      userId: who.userId ?? "",
      decision,
      scopes,
      at: clock.now(),
    });
    await audit.recordByCaller(tx, context, {
      action: `authorization.${decision}`,
      target: { type: "authorization", id: row.id },
      details: { client: row.client_id, scopes, workspace_id: row.workspace_id },
    });
    return row;
  });
  if (found === undefined) throw await guessed(context);
  return { decision };
}

function askOf({ client_id, scopes, workspace_id }: queries.AuthorizationRow): Ask {
  const client = ownClient(client_id);
  if (client === undefined) throw unknownClient(client_id);
  return { client, requested: requestedScopes(scopes.join(" ")), workspace_id, resource: null };
}

async function waiting(
  { clock }: Context,
  tx: Parameters<typeof queries.lockUserCode>[0],
  { user_code }: UserCode,
): Promise<queries.AuthorizationRow | undefined> {
  const row = await queries.lockUserCode(tx, cleanUserCode(user_code));
  const isOpen = row?.decision === null && row.expires_at > clock.now();
  return isOpen ? row : undefined;
}

/** Rule AUT5. */
async function expectFewGuesses({ db, clock, who }: Context): Promise<void> {
  const now = clock.now();
  const since = new Date(now.getTime() - limits.wrongCodesWindowMs);
  const { count, oldest } = await queries.countFailures(db, who.userId ?? "", since);
  if (count < limits.wrongCodesMax) return;
  const freeMs = (oldest ?? now).getTime() + limits.wrongCodesWindowMs;
  const seconds = Math.max(1, (freeMs - now.getTime()) / 1000);
  throw rateLimited("Too many wrong codes. Wait some minutes, then try again.", seconds);
}

async function guessed({ db, clock, who }: Context) {
  await db.tx((tx) => queries.insertFailure(tx, who.userId ?? "", clock.now()));
  return invalid(
    "user_code: is not one that waits for an answer. Read it again where the program shows it; codes live ten minutes.",
  );
}

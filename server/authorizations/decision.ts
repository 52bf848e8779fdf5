// A person's decision: what they read, and what follows from it.
import { forbidden, invalid, notFound, rateLimited } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as audit from "../audit/module.ts";
import * as organizations from "../organizations/module.ts";
import * as workspaces from "../workspaces/module.ts";
import { expectClient, grantableScopes, requestedScopes } from "./request-checks.ts";
import { cleanUserCode } from "./device.ts";
import * as queries from "./queries.ts";
import { limits } from "./limits.ts";
import {
  scopeDescriptions as scopeWords,
  type AuthorizationPrompt,
  type UserCode,
} from "./schema.ts";

interface Ask {
  client_id: string;
  scope: string | undefined;
  workspace_id: string | null;
}

type Facts = Ask & { address: string; user_agent: string; created_at: Date };

/** Rule AUT4. */
export async function describePrompt(context: Context, facts: Facts): Promise<AuthorizationPrompt> {
  const { db, who } = context;
  const client = expectClient(facts.client_id);
  const requested = requestedScopes(facts.scope);
  const scopes = grantableScopes(requested, who.permissions);
  const organization = await organizations.findOrganization(db, who.organizationId);
  const workspace =
    facts.workspace_id === null ? null : await workspaceOrThrow(context, facts.workspace_id);
  return {
    client: client.name,
    scopes: scopes.map((scope) => ({ scope, means: scopeWords[scope] })),
    refused: requested.filter((scope) => !scopes.includes(scope)),
    person: who.name,
    organization: organization?.name ?? "",
    workspace: workspace?.name ?? null,
    address: facts.address,
    user_agent: facts.user_agent,
    at: facts.created_at.toISOString(),
  };
}

/** Rules AUT7 and AUT8. */
export async function resolveGrant(context: Context, ask: Ask) {
  expectClient(ask.client_id);
  const requested = requestedScopes(ask.scope);
  const scopes = grantableScopes(requested, context.who.permissions);
  if (scopes.length === 0)
    throw forbidden(
      `scope: your role gives nothing of ${requested.join(", ")}; ask an administrator or owner of the organization for a role that has it.`,
    );
  if (ask.workspace_id !== null) await workspaceOrThrow(context, ask.workspace_id);
  return { scopes, workspaceId: ask.workspace_id };
}

async function workspaceOrThrow({ db, who }: Context, id: string) {
  const workspace = await workspaces.findWorkspace(db, who.organizationId, id);
  if (workspace === undefined) throw notFound("workspace", id);
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
  return describePrompt(context, { ...row, scope: row.scopes.join(" ") });
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
    const ask = { ...row, scope: row.scopes.join(" ") };
    const { scopes } = decision === "granted" ? await resolveGrant(context, ask) : row;
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

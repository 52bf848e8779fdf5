// The settings of single sign-on: read, written, switched on and off, required, removed.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context, OrganizationType } from "../../kernel/context.ts";
import { outsideProblem } from "../../kernel/http/outside/fetch.ts";
import { noContent, type Reply } from "../../kernel/http/output/reply.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as identity from "../identity/module.ts";
import * as identityProvider from "../identity_provider/module.ts";
import { redirectUriOf, secretContext, signInUrlOf } from "./provider_sign_in/flow.ts";
import * as queries from "./queries.ts";
import type { Connection, SetConnection } from "./schema.ts";

const ordinary = ["user", "claude_code_user", "developer", "billing", "admin"] as const;

/** Rule SSO8: the roles that a provider may give; only owners make owners. */
export const rolesByProvider: Record<OrganizationType, readonly string[]> = {
  platform: ordinary,
  platform_cloud: ordinary,
  enterprise: ["user", "managed", "membership_admin"],
};

export async function connectionOrThrow(
  from: Queryable,
  organizationId: string,
): Promise<queries.ConnectionRow> {
  const row = await queries.findConnection(from, organizationId);
  if (row === undefined) throw notFound("connection of", organizationId);
  return row;
}

export async function readConnection(context: Context) {
  const { db, who } = context;
  const row = await queries.findConnection(db, who.organizationId);
  return {
    connection: row === undefined ? null : await present(db, row),
    redirect_uri: redirectUriOf(context, who.organizationId),
    sign_in_url: signInUrlOf(context, who.organizationId),
    roles: [...rolesByProvider[who.organizationType]],
    default_roles: defaultRoles(who.organizationType),
  };
}

async function present(from: Queryable, row: queries.ConnectionRow): Promise<Connection> {
  const provider = await identityProvider.providerOf(from, row.organization_id);
  return {
    type: "sign_on_connection",
    name: provider?.name ?? row.issuer,
    issuer: row.issuer,
    client_id: row.client_id,
    scopes: row.scopes,
    email_claim: row.email_claim,
    name_claim: row.name_claim,
    groups_claim: row.groups_claim,
    trusts_emails: row.trusts_emails,
    provisioning: provider?.provisioning ?? "none",
    controls_roles: provider?.roles ?? false,
    default_role: provider?.defaultRole ?? "user",
    role_rules: row.role_rules,
    enabled: row.enabled,
    required: row.required,
    tested_at: row.tested_at?.toISOString() ?? null,
    test: row.test_report,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Rule SSO1. */
export async function setConnection(context: Context, input: SetConnection): Promise<Connection> {
  await identity.expectProof(context);
  const { who, db, clock, ids, secrets } = context;
  const { organizationId } = who;
  const name = cleanName("name", input.name, 200);
  const issuer = cleanIssuer(context, input.issuer);
  expectRoles(who.organizationType, input);
  return db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const before = await queries.findConnection(tx, organizationId);
    if (before?.required === true && before.issuer !== issuer)
      throw invalid(
        "issuer: single sign-on is required with the present provider. Stop requiring it, then change the provider.",
      );
    const encrypted =
      input.client_secret === undefined
        ? before?.client_secret
        : secrets.encrypt(input.client_secret, secretContext(organizationId));
    if (encrypted === undefined) throw invalid("client_secret: is needed for a new connection.");
    const after = {
      issuer,
      client_id: input.client_id,
      client_secret: encrypted,
      scopes: scopesOf(input.scopes ?? before?.scopes ?? ["openid", "email", "profile"]),
      email_claim: input.email_claim ?? before?.email_claim ?? "email",
      name_claim: input.name_claim ?? before?.name_claim ?? "name",
      groups_claim:
        input.groups_claim === undefined ? (before?.groups_claim ?? null) : input.groups_claim,
      trusts_emails: input.trusts_emails ?? before?.trusts_emails ?? false,
      role_rules: input.role_rules ?? before?.role_rules ?? [],
      version: ids.next("sov_"),
    };
    const at = clock.now();
    const keepsTest = before !== undefined && isSameWay(before, after);
    await queries.putConnection(tx, organizationId, after, { at, keepsTest });
    const isNewProvider = before !== undefined && before.issuer !== issuer;
    if (isNewProvider) await queries.setEnabled(tx, organizationId, false);
    await identityProvider.setProvider(tx, organizationId, {
      name,
      at,
      ...(input.provisioning !== undefined && { provisioning: input.provisioning }),
      ...(input.controls_roles !== undefined && { controlsRoles: input.controls_roles }),
      ...(input.default_role !== undefined && { defaultRole: input.default_role }),
    });
    const { client_secret: _, ...shown } = input;
    const details = { ...shown, name, issuer, new_secret: input.client_secret !== undefined };
    await recordConnectionEvent(tx, context, "single_sign_on.set", details);
    return present(tx, await connectionOrThrow(tx, organizationId));
  });
}

/** Whether the results of the last test still apply. */
const isSameWay = (
  before: queries.ConnectionRow,
  after: Pick<queries.ConnectionRow, "issuer" | "client_id" | "client_secret" | "email_claim">,
) =>
  before.issuer === after.issuer &&
  before.client_id === after.client_id &&
  before.client_secret === after.client_secret &&
  before.email_claim === after.email_claim;

/** People also copy the address of the discovery document. */
function cleanIssuer(context: Context, typed: string): string {
  const issuer = typed.trim().replace(/\/\.well-known\/openid-configuration$/, "");
  const problem = outsideProblem(context, issuer);
  if (problem !== undefined) throw invalid(`issuer: ${problem.message}`);
  if (/[?#]/.test(issuer)) throw invalid("issuer: must have no query and no fragment.");
  return issuer;
}

const scopesOf = (scopes: readonly string[]) => [...new Set(["openid", ...scopes])];

function expectRoles(type: OrganizationType, { default_role, role_rules = [] }: SetConnection) {
  const expect = (field: string, role: string, allowed: readonly string[]) => {
    if (!allowed.includes(role))
      throw invalid(`${field}: a provider may give ${allowed.join(", ")} here, not ${role}.`);
  };
  if (default_role !== undefined) expect("default_role", default_role, defaultRoles(type));
  for (const [index, { role }] of role_rules.entries())
    expect(`role_rules.${index}.role`, role, rolesByProvider[type]);
}

/** A person who matches no rule must not get power over others. */
export const defaultRoles = (type: OrganizationType) =>
  rolesByProvider[type].filter((role) => role !== "admin" && role !== "membership_admin");

export const recordConnectionEvent = (
  tx: Parameters<typeof audit.record>[0],
  context: Context,
  action: string,
  details: Record<string, unknown> = {},
): Promise<void> => {
  const { organizationId } = context.who;
  const target = { type: "organization", id: organizationId };
  const act = { organizationId, action, target, details };
  return audit.record(tx, context, audit.actorOf(context), act);
};

export async function removeConnection(context: Context): Promise<Reply> {
  await identity.expectProof(context);
  const { organizationId } = context.who;
  await context.db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const { required, issuer } = await connectionOrThrow(tx, organizationId);
    if (required)
      throw invalid("Single sign-on is required. Stop requiring it, then remove the connection.");
    await queries.deleteConnection(tx, organizationId);
    await identityProvider.endJit(tx, organizationId);
    await recordConnectionEvent(tx, context, "single_sign_on.removed", { issuer });
  });
  return noContent();
}

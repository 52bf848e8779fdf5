// What an organization lets its identity provider control: read and changed in the console.
import { invalid } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context, OrganizationType } from "../../kernel/context.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as queries from "./queries-control.ts";
import { limits } from "./limits.ts";
import type { IdentityProvider, UpdateIdentityProvider } from "./schema.ts";

/** A person who joins without a role from the provider must not get power over others. */
const defaultRoles = (type: OrganizationType): readonly string[] =>
  type === "enterprise"
    ? ["user", "managed"]
    : ["user", "claude_code_user", "developer", "billing"];

export const readProvider = ({ db, who }: Context): Promise<IdentityProvider> =>
  read(db, who.organizationId, who.organizationType);

async function read(
  from: Queryable,
  organizationId: string,
  type: OrganizationType,
): Promise<IdentityProvider> {
  const row = await queries.findProvider(from, organizationId);
  return {
    type: "identity_provider",
    name: row?.name ?? null,
    provisioning: row?.provisioning ?? "none",
    controls_roles: row?.controls_roles ?? false,
    controls_groups: row?.controls_groups ?? false,
    default_role: row?.default_role ?? "user",
    invites_own_domains: await queries.findInviteRule(from, organizationId),
    default_roles: [...defaultRoles(type)],
    has_groups: type === "enterprise",
  };
}

/** Rule SCM2. */
export async function updateProvider(
  context: Context,
  input: UpdateIdentityProvider,
): Promise<IdentityProvider> {
  const { db, clock, who } = context;
  const { organizationId, organizationType: type } = who;
  return db.tx(async (tx) => {
    await queries.lockOrganization(tx, organizationId);
    const before = await read(tx, organizationId, type);
    const after = { ...before, ...input };
    if (input.name !== undefined)
      after.name = cleanName("name", input.name, limits.providerNameCharactersMax);
    expectWhole(after);
    const { name } = after;
    if (name !== null)
      await queries.saveProvider(tx, organizationId, { ...after, name, updated_at: clock.now() });
    if (after.invites_own_domains !== before.invites_own_domains)
      await queries.setInviteRule(tx, organizationId, after.invites_own_domains);
    await audit.recordByCaller(tx, context, {
      action: "identity_provider.updated",
      target: { type: "organization", id: organizationId },
      details: { ...input, provisioning_before: before.provisioning },
    });
    return after;
  });
}

function expectWhole(provider: IdentityProvider): void {
  const { name, provisioning, default_role, default_roles } = provider;
  const controls = provisioning !== "none" || provider.controls_roles || provider.controls_groups;
  if (controls && name === null)
    throw invalid("name: is missing; refusals tell people by it where to go.");
  if (!default_roles.includes(default_role))
    throw invalid(`default_role: must be one of ${default_roles.join(", ")}.`);
  if (provider.controls_groups && !provider.has_groups)
    throw invalid("controls_groups: groups are a thing of enterprise organizations; leave it off.");
}

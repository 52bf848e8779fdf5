// What the tests of members share: people of any role, with and without a password.
import assert from "node:assert/strict";
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import { issueToken } from "../../server/tokens/module.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Ask, House, Tenant } from "../house.ts";

type Role = Parameters<typeof provisionUser>[4]["role"];

let count = 0;
export const passwordOfAll = "a password of the tests";

export interface Person {
  id: string;
  email: string;
  name: string;
}

/** A member who never signed in. */
export async function addMember(
  { world }: Pick<House, "world">,
  { organization_id }: Pick<Tenant, "organization_id">,
  {
    role = "user",
    name = `Person ${++count}`,
    email = `person-${++count}@members.example`,
  }: {
    role?: Role;
    name?: string;
    email?: string;
  } = {},
): Promise<Person> {
  const id = await world.db.tx((tx) =>
    provisionUser(tx, world, operator, organization_id, { email, name, role }),
  );
  return { id, email, name };
}

/** A member who is signed in to the console. */
export async function addSignedIn(
  house: House,
  tenant: Tenant,
  role: Role,
): Promise<Person & { cookie: string }> {
  const person = await addMember(house, tenant, { role });
  const { db, passwords, random } = house.world;
  const password_hash = await passwords.hash(passwordOfAll, random);
  await db.tx((tx) =>
    tx.query(sql`update users set password_hash = ${password_hash} where id = ${person.id}`),
  );
  const cookie = await house.signIn({ owner_email: person.email, owner_password: passwordOfAll });
  return { ...person, cookie };
}

/** The id of the tenant's first owner. */
export async function ownerOf(house: House, tenant: Tenant): Promise<string> {
  const { body } = await house.ask("GET", "/console/api/me", { cookie: tenant.cookie });
  return body.user.id as string;
}

/** An access token that speaks for this person. */
export async function tokenOf(
  { world }: House,
  tenant: Tenant,
  userId: string,
  scope = "org:admin",
): Promise<string> {
  const { secret } = await world.db.tx((tx) =>
    issueToken(tx, world, {
      organizationId: tenant.organization_id,
      for: { userId },
      scopes: [scope],
      workspaceId: null,
      lifetimeMs: 3_600_000,
    }),
  );
  return secret;
}

export const usersOf = (house: House) => ({
  list: (tenant: Tenant, query = "", ask: Ask = {}) =>
    house.ask("GET", `/v1/organizations/users?${query}`, { key: tenant.admin_api_key, ...ask }),
  get: (tenant: Tenant, id: string, ask: Ask = {}) =>
    house.ask("GET", `/v1/organizations/users/${id}`, { key: tenant.admin_api_key, ...ask }),
  setRole: (tenant: Tenant, id: string, role: string, ask: Ask = {}) =>
    house.ask("POST", `/v1/organizations/users/${id}`, {
      key: tenant.admin_api_key,
      body: { role },
      ...ask,
    }),
  remove: (tenant: Tenant, id: string, ask: Ask = {}) =>
    house.ask("DELETE", `/v1/organizations/users/${id}`, { key: tenant.admin_api_key, ...ask }),
});

export interface InviteBody {
  id: string;
  email: string;
  role: string;
  status: string;
  invited_at: string;
  expires_at: string;
  accepted_at: string | null;
  rbac_group_ids: string[];
}

export const invitesOf = (house: House) => ({
  create: (tenant: Tenant, body: Record<string, unknown> = {}, ask: Ask = {}) =>
    house.ask("POST", "/v1/organizations/invites", {
      key: tenant.admin_api_key,
      body: { email: `invited-${++count}@members.example`, role: "user", ...body },
      ...ask,
    }),
  get: (tenant: Tenant, id: string, ask: Ask = {}) =>
    house.ask("GET", `/v1/organizations/invites/${id}`, { key: tenant.admin_api_key, ...ask }),
  list: (tenant: Tenant, query = "", ask: Ask = {}) =>
    house.ask("GET", `/v1/organizations/invites?${query}`, { key: tenant.admin_api_key, ...ask }),
  withdraw: (tenant: Tenant, id: string, ask: Ask = {}) =>
    house.ask("DELETE", `/v1/organizations/invites/${id}`, { key: tenant.admin_api_key, ...ask }),
  /** In the console, with the link's token. */
  withLink: async (
    tenant: Pick<Tenant, "cookie">,
    body: Record<string, unknown> = {},
  ): Promise<InviteBody & { token: string }> => {
    const answer = await house.ask("POST", "/console/api/invites", {
      cookie: tenant.cookie,
      body: { email: `invited-${++count}@members.example`, role: "user", ...body },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return { ...answer.body.invite, token: tokenIn(answer.body.link) };
  },
  accept: (token: string, body: Record<string, unknown> = {}, ask: Ask = {}) =>
    house.ask("POST", "/console/api/accept_invite", {
      body: { token, name: "Newcomer", password: passwordOfAll, ...body },
      ...ask,
    }),
});

/** The token stands in the fragment, which browsers do not send. */
export function tokenIn(link: string): string {
  const { hash, pathname, search } = new URL(link);
  assert.deepEqual([pathname, search], ["/accept", ""]);
  return new URLSearchParams(hash.slice(1)).get("token") ?? assert.fail(`no token in ${link}`);
}

export const seatsOf = (house: House) => ({
  set: (tenant: Tenant, tiers: { id?: string; name: string; seats: number }[]) =>
    house.ask("POST", "/console/api/seats", { cookie: tenant.cookie, body: { tiers } }),
  /** `name taken/seats`, lowest first. */
  held: async (tenant: Tenant): Promise<string[]> => {
    const { body } = await house.ask("GET", "/console/api/seats", { cookie: tenant.cookie });
    return (body.tiers as { name: string; taken: number; seats: number }[]).map(
      ({ name, taken, seats }) => `${name} ${taken}/${seats}`,
    );
  },
});

export const errorCodeOf = (body: { error: { details?: { error_code?: string } } }) =>
  body.error.details?.error_code;

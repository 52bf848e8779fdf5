// What the tests of members share: people of any role, with and without a password.
import assert from "node:assert/strict";
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import { hashPassword } from "../../kernel/secret/passwords.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Ask, House, Tenant } from "../house.ts";

type Role = Parameters<typeof provisionUser>[4]["role"];

let count = 0;
let hash: Promise<string> | undefined;
const password = "a password of the tests";

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
  hash ??= hashPassword(password);
  const password_hash = await hash;
  await house.world.db.tx((tx) =>
    tx.query(sql`update users set password_hash = ${password_hash} where id = ${person.id}`),
  );
  const cookie = await house.signIn({ owner_email: person.email, owner_password: password });
  return { ...person, cookie };
}

/** The id of the tenant's first owner. */
export async function ownerOf(house: House, tenant: Tenant): Promise<string> {
  const { body } = await house.ask("GET", "/console/api/me", { cookie: tenant.cookie });
  return body.user.id as string;
}

/** An access token of the tenant that speaks for this person. */
export async function tokenOf(house: House, tenant: Tenant, userId: string): Promise<string> {
  const rows = await house.world.db.tx((tx) =>
    tx.query(sql`
      update keys set created_by = ${userId}
      where organization_id = ${tenant.organization_id} and kind = 'oauth' returning id`),
  );
  assert.equal(rows.length, 1, "the tenant has one access token");
  return tenant.oauth_access_token;
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

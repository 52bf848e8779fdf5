// All credentials, in each organization type: people of every role, keys of every kind and scope, tokens.
import assert from "node:assert/strict";
import type { OrganizationType } from "../../kernel/context.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import { signInCookie } from "../../server/identity/people.ts";
import { createUser, type Role } from "../../server/identity/module.ts";
import { findUser } from "../../server/identity/queries.ts";
import { enterpriseScopes, issueKey } from "../../server/keys/module.ts";
import { issueToken } from "../../server/tokens/module.ts";
import type { House, Tenant } from "../house.ts";
import { accountIn, requestOf } from "../rules/tokens-house.ts";
import { tenantsOf } from "./callers.ts";
import { workerIn } from "./worker.ts";

export interface CredentialHolder {
  /** Stands in the golden where this one may. */
  letter: string;
  /** What the legend says of it. */
  words: string;
  group: "people" | "keys" | "tokens";
  headers: Record<string, string>;
  /** Of a person who is no managed one. */
  role?: Role;
  /** The one scope of an admin key. */
  scope?: string;
}

export interface OrganizationCredentials {
  type: OrganizationType;
  holders: readonly CredentialHolder[];
}

const letters: Partial<Record<Role, string>> = {
  user: "u",
  claude_code_user: "c",
  developer: "d",
  billing: "b",
  membership_admin: "m",
  admin: "a",
  owner: "o",
  primary_owner: "p",
};
const ofPlatform = ["user", "claude_code_user", "developer", "billing", "admin", "owner"] as const;
/** Nothing makes an admin in an enterprise organization; one may come with an organization that changed its type. */
const ofEnterprise = ["user", "membership_admin", "admin", "owner"] as const;

/** Managed members by what the roles of their groups hold. */
const managed: readonly { letter: string; words: string; roles: readonly string[] }[] = [
  { letter: "0", words: "managed, in no group", roles: [] },
  { letter: "1", words: "managed, role Everyday use", roles: ["rbac_role_everyday"] },
  { letter: "2", words: "managed, role All capabilities", roles: ["rbac_role_everything"] },
  { letter: "3", words: "managed, role Auditor", roles: ["rbac_role_auditor"] },
  { letter: "4", words: "managed, every permission_* action", roles: ["every permission"] },
];
const scopeLetters: Record<(typeof enterpriseScopes)[number], string> = {
  "read:members": "r",
  "write:members": "w",
  "read:rbac_groups": "g",
  "write:rbac_groups": "G",
  "read:org_audit": "t",
  "read:analytics": "y",
};

export async function credentialsOfEveryKind(house: House): Promise<OrganizationCredentials[]> {
  const { platform, enterprise, cloud } = house.organizations;
  return [
    { type: "platform", holders: await playersOf(house, platform) },
    { type: "enterprise", holders: await playersOf(house, enterprise) },
    { type: "platform_cloud", holders: await playersOf(house, cloud) },
  ];
}

async function playersOf(house: House, tenant: Tenant): Promise<CredentialHolder[]> {
  const isEnterprise = tenant.organization_type === "enterprise";
  const people: CredentialHolder[] = [];
  for (const role of isEnterprise ? ofEnterprise : ofPlatform) {
    const { headers } = await personOf(house, tenant, role);
    people.push({ letter: letters[role] ?? "", words: role, group: "people", headers, role });
  }
  const headers = { cookie: tenant.cookie, origin: house.url };
  const role = "primary_owner";
  people.push({ letter: "p", words: role, group: "people", headers, role });
  if (isEnterprise) people.push(...(await managedOf(house, tenant)));
  return [...people, ...(await keysOf(house, tenant)), ...(await tokensOf(house, tenant))];
}

let count = 0;

async function personOf(house: House, { organization_id }: Tenant, role: Role) {
  const { world } = house;
  const name = `cast-${++count}`;
  return await world.db.tx(async (tx) => {
    const person = { email: `${name}@cast.example`, name, role, passwordHash: null };
    const id = await createUser(tx, world, () => operator, organization_id, person);
    const user = (await findUser(tx, organization_id, id)) ?? assert.fail("nobody was made");
    const cookie = await signInCookie(tx, requestOf(house), user, "password");
    return { id, headers: { cookie: cookie.split(";")[0] ?? "", origin: house.url } };
  });
}

async function managedOf(house: House, tenant: Tenant): Promise<CredentialHolder[]> {
  const ask = async (path: string, body?: object) => {
    const { cookie } = tenant;
    const method = body === undefined ? "GET" : "POST";
    const headers = { "vendor-version": "2026-10-21" };
    const answer = await house.ask(method, path, { cookie, headers, ...(body && { body }) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const { data } = await ask("/console/api/rbac_actions");
  const actions = (data as { action: string; variant: string }[]).flatMap(({ action, variant }) =>
    variant === "permission" ? [action] : [],
  );
  const every = await ask("/console/api/rbac_roles", { display_name: "Everything", actions });
  return Promise.all(
    managed.map(async ({ letter, words, roles }) => {
      const { id, headers } = await personOf(house, tenant, "managed");
      const holder: CredentialHolder = { letter, words, group: "people", headers };
      if (roles.length === 0) return holder;
      const group = await ask("/v1/organizations/rbac_groups", { name: words });
      const role_ids = roles.map((role) => (role === "every permission" ? every.id : role));
      await ask(`/console/api/rbac_groups/${group.id}/roles`, { role_ids });
      await ask(`/v1/organizations/rbac_groups/${group.id}/members`, { user_id: id });
      return holder;
    }),
  );
}

async function keysOf(house: House, tenant: Tenant): Promise<CredentialHolder[]> {
  const { world } = house;
  const { organization_id: organizationId, organization_type: type } = tenant;
  const key = (
    letter: string,
    words: string,
    secret: string,
    scope?: string,
  ): CredentialHolder => ({
    letter,
    words,
    group: "keys",
    headers: { "x-api-key": secret },
    ...(scope !== undefined && { scope }),
  });
  const own = key("k", "API key of the default workspace", tenant.api_key);
  const owner = tenantsOf(house).find(({ organizationId: id }) => id === organizationId);
  const { secret: ofWorker } = await workerIn(owner ?? assert.fail("no tenant has it"));
  const worker = key("e", "key of an environment", ofWorker);
  if (type !== "enterprise") return [own, key("A", "admin key", tenant.admin_api_key), worker];
  const scoped = enterpriseScopes.map(async (scope) => {
    const input = { organizationId, kind: "admin", name: scope, scopes: [scope] } as const;
    const { secret } = await world.db.tx((tx) =>
      issueKey(tx, world, operator, { ...input, createdBy: null }),
    );
    return key(scopeLetters[scope], `admin key with the scope ${scope}`, secret, scope);
  });
  return [own, ...(await Promise.all(scoped)), worker];
}

async function tokensOf(house: House, tenant: Tenant): Promise<CredentialHolder[]> {
  const { world } = house;
  const { organization_id: organizationId, organization_type: type } = tenant;
  const [workspace] = await world.db.query<{ id: string }>(sql`
    select id from workspaces where organization_id = ${organizationId} and is_default`);
  const workspaceId = workspace?.id ?? assert.fail("no default workspace");
  const lifetimeMs = 3_600_000;
  const token = async (
    letter: string,
    words: string,
    holder: { userId: string } | { serviceAccountId: string },
    scope: string,
  ): Promise<CredentialHolder> => {
    const place = scope === "org:admin" ? null : workspaceId;
    const input = { organizationId, for: holder, scopes: [scope], workspaceId: place, lifetimeMs };
    const { secret } = await world.db.tx((tx) => issueToken(tx, world, input));
    const headers = { authorization: `Bearer ${secret}` };
    return { letter, words: `${words}, scope ${scope}`, group: "tokens", headers };
  };
  const person = async (role: Role) => ({ userId: (await personOf(house, tenant, role)).id });
  const made = [
    await token("O", "token of an owner", await person("owner"), "org:admin"),
    await token("U", "token of a user", await person("user"), "org:admin"),
    await token("D", "token of a user", await person("user"), "workspace:developer"),
    await token("I", "token of a user", await person("user"), "workspace:inference"),
  ];
  if (type === "enterprise")
    made.push(await token("M", "token of 0", await person("managed"), "workspace:developer"));
  if (type !== "platform") return made;
  const account = async (role: "developer" | "admin") => ({
    serviceAccountId: await accountIn(house, tenant, role),
  });
  return [
    ...made,
    await token("S", "token of a service account (admin)", await account("admin"), "org:admin"),
    await token(
      "V",
      "token of a service account",
      await account("developer"),
      "workspace:developer",
    ),
  ];
}

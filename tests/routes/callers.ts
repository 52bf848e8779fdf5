// Everybody who may call: each tenant of the house with each kind of credential it has.
import assert from "node:assert/strict";
import type { CredentialKind, OrganizationType } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import type { House } from "../house.ts";
import { anyPath, ask, headersFor } from "./ask.ts";

export interface Caller {
  /** `platform, admin_key`: for messages. */
  name: string;
  tenant: string;
  kind: CredentialKind;
  organizationType: OrganizationType;
  headers: Record<string, string>;
}

export interface Tenant {
  name: string;
  type: OrganizationType;
  organizationId: string;
  email: string;
  password: string;
  /** A request of the tenant's owner in the console; the reply's JSON. */
  console(method: string, path: string, body?: unknown): Promise<unknown>;
  /** A new sign-in of the owner. */
  signIn(): Promise<Caller>;
  /** Signs the owner in somewhere else; the sign-in's id. */
  anotherSignIn(): Promise<string>;
}

const tenantsByHouse = new WeakMap<House, Promise<Tenant[]>>();

/** The same tenants for the same house: a sign-in costs an argon2. */
export function tenantsOf(house: House): Promise<Tenant[]> {
  const known = tenantsByHouse.get(house) ?? openTenants(house);
  tenantsByHouse.set(house, known);
  return known;
}

const openTenants = (house: House) =>
  Promise.all(
    Object.entries(house.organizations).map(async ([name, organization]): Promise<Tenant> => {
      const signIn = () => signInAs(house.url, name, organization);
      const owner = await signIn();
      const console = async (method: string, path: string, body?: unknown) => {
        const answer = await ask(house.url, { method, path, caller: owner, body });
        assert.ok(answer.status < 300, `${method} ${path}: ${answer.message}`);
        return answer.body;
      };
      return {
        name,
        type: organization.organization_type,
        organizationId: organization.organization_id,
        email: organization.owner_email,
        password: organization.owner_password,
        console,
        signIn,
        anotherSignIn: async () => {
          const before = await signInIds(console);
          await signIn();
          const added = (await signInIds(console)).find((id) => !before.includes(id));
          return added ?? assert.fail("the new sign-in is not on the list");
        },
      };
    }),
  );

async function signInIds(console: Tenant["console"]): Promise<string[]> {
  const { data } = (await console("GET", "/console/api/sign_ins")) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

type Organization = House["organizations"][keyof House["organizations"]];

async function signInAs(url: string, tenant: string, who: Organization): Promise<Caller> {
  const { status, headers, message } = await ask(url, {
    method: "POST",
    path: "/console/api/sign_in",
    body: {
      email: who.owner_email,
      password: who.owner_password,
      organization_id: who.organization_id,
    },
  });
  assert.equal(status, 200, message);
  const cookie = headers.getSetCookie()[0]?.split(";")[0];
  assert.ok(cookie?.startsWith("__Host-plinth="), "signing in sets no cookie");
  return callerOf(tenant, "console", who.organization_type, { cookie, origin: url });
}

const callerOf = (
  tenant: string,
  kind: CredentialKind,
  organizationType: OrganizationType,
  headers: Record<string, string>,
): Caller => ({ name: `${tenant}, ${kind}`, tenant, kind, organizationType, headers });

export async function callersOf(house: House): Promise<Caller[]> {
  const tenants = await tenantsOf(house);
  const callers = tenants.map(async ({ name, type, signIn }) => {
    const secrets = house.organizations[name as keyof House["organizations"]];
    return [
      callerOf(name, "api_key", type, { "x-api-key": secrets.api_key }),
      callerOf(name, "admin_key", type, { "x-api-key": secrets.admin_api_key }),
      callerOf(name, "oauth_token", type, {
        authorization: `Bearer ${secrets.oauth_access_token}`,
      }),
      await signIn(),
    ];
  });
  return (await Promise.all(callers)).flat();
}

/** Who gets as far as the query of this route; nothing is done by asking. */
export async function whoMay(url: string, route: Route, callers: Caller[]): Promise<Caller[]> {
  const path = `${anyPath(route.path)}?tidy_unknown=1`;
  const asked = callers.map(async (caller) => {
    const { method } = route;
    const { status } = await ask(url, { method, path, caller, headers: headersFor(route) });
    return status === 400 ? [caller] : [];
  });
  return (await Promise.all(asked)).flat();
}

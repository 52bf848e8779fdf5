// All callers: each tenant of the house with each kind of credential it has.
import assert from "node:assert/strict";
import type { CredentialKind, OrganizationType } from "../../kernel/context.ts";
import type { Route } from "../../kernel/http/route.ts";
import type { House } from "../house.ts";
import { anyPath, ask, headersFor } from "./ask.ts";
import { workerIn } from "./worker.ts";

export interface Caller {
  /** `platform, admin_key`: for messages. */
  name: string;
  tenant: string;
  kind: CredentialKind;
  organizationType: OrganizationType;
  headers: Record<string, string>;
}

export interface Tenant {
  /** For what no route makes. */
  world: House["world"];
  name: string;
  type: OrganizationType;
  organizationId: string;
  email: string;
  password: string;
  /** A request of the tenant's owner in the console; the reply's JSON. */
  console(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<unknown>;
  /** A new sign-in of the owner. */
  signIn(): Promise<Caller>;
  /** Signs the owner in somewhere else; the sign-in's id. */
  anotherSignIn(): Promise<string>;
}

export const tenantsOf = (house: House): Tenant[] =>
  namesOf(house).map((name): Tenant => {
    const organization = house.organizations[name];
    const signIn = async () => ownerOf(house, name, await house.signIn(organization));
    const owner = ownerOf(house, name, organization.cookie);
    const console: Tenant["console"] = async (method, path, body, headers = {}) => {
      const answer = await ask(house.url, { method, path, caller: owner, headers, body });
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.message}`);
      return answer.body;
    };
    return {
      world: house.world,
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
  });

async function signInIds(console: Tenant["console"]): Promise<string[]> {
  const { data } = (await console("GET", "/console/api/sign_ins")) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

type Name = keyof House["organizations"];

const namesOf = (house: House) => Object.keys(house.organizations) as Name[];

function ownerOf(house: House, tenant: Name, cookie: string): Caller {
  assert.ok(cookie.startsWith("__Host-plinth="), "signing in sets no cookie");
  const { organization_type } = house.organizations[tenant];
  return callerOf(tenant, "console", organization_type, { cookie, origin: house.url });
}

const callerOf = (
  tenant: string,
  kind: CredentialKind,
  organizationType: OrganizationType,
  headers: Record<string, string>,
): Caller => ({ name: `${tenant}, ${kind}`, tenant, kind, organizationType, headers });

export async function callersOf(house: House): Promise<Caller[]> {
  const made = tenantsOf(house).map(async (tenant) => {
    const name = tenant.name as Name;
    const { organization_type: type, cookie, ...secrets } = house.organizations[name];
    const bearer = { authorization: `Bearer ${secrets.oauth_access_token}` };
    const { secret } = await workerIn(tenant);
    return [
      callerOf(name, "api_key", type, { "x-api-key": secrets.api_key }),
      callerOf(name, "admin_key", type, { "x-api-key": secrets.admin_api_key }),
      callerOf(name, "oauth_token", type, bearer),
      ownerOf(house, name, cookie),
      callerOf(name, "environment_key", type, { authorization: `Bearer ${secret}` }),
    ];
  });
  return (await Promise.all(made)).flat();
}

const known = new WeakMap<readonly Caller[], Map<Route, Promise<Caller[]>>>();

/** The callers that reach the query of this route; nothing is done by asking, once for all tests of the route. */
export function whoMay(url: string, route: Route, callers: readonly Caller[]): Promise<Caller[]> {
  const ofRoutes = known.get(callers) ?? new Map<Route, Promise<Caller[]>>();
  known.set(callers, ofRoutes);
  const asked = ofRoutes.get(route) ?? askAll(url, route, callers);
  ofRoutes.set(route, asked);
  return asked;
}

async function askAll(url: string, route: Route, callers: readonly Caller[]): Promise<Caller[]> {
  const path = `${anyPath(route.path)}?tidy_unknown=1`;
  const asked = callers.map(async (caller) => {
    const { method } = route;
    const { status } = await ask(url, { method, path, caller, headers: headersFor(route) });
    return status === 400 ? [caller] : [];
  });
  return (await Promise.all(asked)).flat();
}

// What the tests of groups and roles share.
import assert from "node:assert/strict";
import type { Answer, Ask, House, Tenant } from "../house.ts";
import { addMember, addSignedIn, type Person } from "./members-house.ts";

export const beta = { "vendor-beta": "ce-user-management-2026-07-13" };
const newer = { "anthropic-version": "2026-10-21" };

export interface Group {
  id: string;
  name: string;
  role_ids: string[] | null;
}

let count = 0;

export function groupsOf(house: House) {
  /** With the admin key of the tenant, in the newer words, unless it says otherwise. */
  const call = (tenant: Tenant, method: string, path = "", ask: Ask = {}): Promise<Answer> =>
    house.ask(method, `/v1/organizations/rbac_groups${path}`, {
      ...(ask.cookie === undefined && { key: tenant.admin_api_key }),
      ...ask,
      headers: { ...newer, ...ask.headers },
    });
  const inConsole = (tenant: Tenant, method: string, path: string, ask: Ask = {}) =>
    house.ask(method, `/console/api/${path}`, { cookie: tenant.cookie, ...ask });
  const group = async (tenant: Tenant, name = "Engineering"): Promise<Group> => {
    const { status, body } = await call(tenant, "POST", "", { body: { name } });
    assert.equal(status, 200, JSON.stringify(body));
    return body as Group;
  };
  const role = async (tenant: Tenant, actions: readonly string[]): Promise<string> => {
    const body = { display_name: `Role ${++count}`, actions };
    const made = await inConsole(tenant, "POST", "rbac_roles", { body });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    return made.body.id as string;
  };
  const give = async (tenant: Tenant, groupId: string, roleIds: readonly string[]) => {
    const body = { role_ids: roleIds };
    const set = await inConsole(tenant, "POST", `rbac_groups/${groupId}/roles`, { body });
    assert.equal(set.status, 200, JSON.stringify(set.body));
  };
  const join = async (tenant: Tenant, groupId: string, userId: string) => {
    const path = `/${groupId}/members`;
    const body = { user_id: userId };
    const { status, body: said } = await call(tenant, "POST", path, {
      cookie: tenant.cookie,
      body,
    });
    assert.equal(status, 200, JSON.stringify(said));
  };
  return {
    call,
    inConsole,
    group,
    role,
    give,
    join,
    /** A managed member, signed in, whose only group has a role with these actions. */
    managed: async (tenant: Tenant, actions: readonly string[]) => {
      const person = await addSignedIn(house, tenant, "managed");
      const made = await group(tenant, `Group of ${person.name}`);
      const roleId = actions.length === 0 ? undefined : await role(tenant, actions);
      if (roleId !== undefined) await give(tenant, made.id, [roleId]);
      await join(tenant, made.id, person.id);
      return { ...person, groupId: made.id, roleId };
    },
    member: (tenant: Tenant): Promise<Person> => addMember(house, tenant, { role: "managed" }),
  };
}

// What the tests of workspaces share: workspaces, people with a role, and their sign-ins.
import assert from "node:assert/strict";
import { operator } from "../../server/audit/module.ts";
import { createUser, type Role } from "../../server/identity/module.ts";
import type { Answer, House, Tenant } from "../house.ts";

export interface Person {
  id: string;
  email: string;
  cookie: string;
}

let made = 0;
const password = "a password of somebody";

export const makePerson = async (
  house: House,
  tenant: Tenant,
  role: Role = "user",
): Promise<Person> => {
  const { world } = house;
  const email = `person-${++made}@workspaces.example`;
  const passwordHash = await world.passwords.hash(password, world.random);
  const id = await world.db.tx((tx) =>
    createUser(tx, world, () => operator, tenant.organization_id, {
      email,
      name: `Person ${made}`,
      role,
      passwordHash,
    }),
  );
  const cookie = await house.signIn({ owner_email: email, owner_password: password });
  return { id, email, cookie };
};

export function workspacesOf(house: House) {
  const overApi = (tenant: Tenant, method: string, path: string, body?: unknown): Promise<Answer> =>
    house.ask(method, `/v1/organizations/workspaces${path}`, { key: tenant.admin_api_key, body });
  const inConsole = (
    { cookie }: Pick<Person, "cookie">,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer> => house.ask(method, `/console/api/workspaces${path}`, { cookie, body });
  return {
    overApi,
    inConsole,
    make: async (tenant: Tenant, body: Record<string, unknown> = {}): Promise<string> => {
      const answer = await inConsole(tenant, "POST", "", { name: `Workspace ${++made}`, ...body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.id as string;
    },
    join: async (tenant: Tenant, workspace: string, person: Person, workspace_role: string) => {
      const body = { user_id: person.id, workspace_role: "workspace_user" };
      const added = await inConsole(tenant, "POST", `/${workspace}/members`, body);
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const path = `/${workspace}/members/${person.id}`;
      const updated = await inConsole(tenant, "POST", path, { workspace_role });
      assert.equal(updated.status, 200, JSON.stringify(updated.body));
    },
  };
}

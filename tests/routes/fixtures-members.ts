// Fixtures of members: people whom a tenant has beside its owner.
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let made = 0;

const memberIn = async ({ world, organizationId }: Tenant) => {
  const number = ++made;
  const member = { email: `made-${number}@fixtures.example`, name: `Made ${number}` };
  const user_id = await world.db.tx((tx) =>
    provisionUser(tx, world, operator, organizationId, { ...member, role: "user" }),
  );
  return { user_id };
};

export const memberFixtures: Readonly<Record<string, Fixture>> = {
  "users.list": { items: async (tenant) => void (await memberIn(tenant)) },
  "users.retrieve": { params: memberIn },
  "users.update": { params: memberIn, body: () => ({ role: "user" }) },
  "users.delete": { params: memberIn },
};

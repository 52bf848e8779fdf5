// Fixtures of members, invites and seats: people whom a tenant has beside its owner.
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

const inviteBody = () => ({ email: `invited-${++made}@fixtures.example`, role: "user" });
const inviteIn = async (tenant: Tenant) => {
  const made = await tenant.console("POST", "/console/api/invites", inviteBody());
  return { invite_id: (made as { invite: { id: string } }).invite.id };
};
const twoInvites = async (tenant: Tenant) => {
  await inviteIn(tenant);
  await inviteIn(tenant);
};
const pool = { tiers: [{ name: "Standard", seats: 1_000_000 }] };
const acceptance = { elsewhere: "tests/rules/members-acceptance.test.ts [USR22]" };

export const memberFixtures: Readonly<Record<string, Fixture>> = {
  "users.list": { items: async (tenant) => void (await memberIn(tenant)) },
  "users.retrieve": { params: memberIn },
  "users.update": { params: memberIn, body: () => ({ role: "user" }) },
  "users.delete": { params: memberIn },
  "users.sign_out": { params: memberIn },
  "console.members.end_sign_ins": { params: memberIn },
  "console.members.list": { items: async (tenant) => void (await memberIn(tenant)) },
  "console.members.retrieve": { params: memberIn },
  "console.members.set_role": { params: memberIn, body: () => ({ role: "owner" }) },
  "console.members.delete": { params: memberIn },
  "console.members.move_seat": {
    params: memberIn,
    body: () => ({ tier_id: "seat_nobodys" }),
    elsewhere: "tests/rules/members-seats.test.ts [USR27]",
  },
  "console.ownership.transfer": {
    body: () => ({}),
    elsewhere: "tests/rules/members-console.test.ts [USR29]",
  },
  "console.rename": { body: () => ({ name: "The owner" }) },
  "console.people": { query: "ids[]=user_1" },
  "invites.create": { body: inviteBody },
  "invites.list": { items: twoInvites },
  "invites.retrieve": { params: inviteIn },
  "invites.delete": { params: inviteIn },
  "console.invites.delete": { params: inviteIn },
  "console.invites.list": { items: twoInvites },
  "console.invites.create": { body: inviteBody },
  "console.invites.link": { params: inviteIn },
  "console.invites.send": {
    params: inviteIn,
    elsewhere: "tests/rules/members-mail.test.ts [USR24]",
  },
  "console.invite_link": { body: () => ({}), ...acceptance },
  "console.accept_invite": { body: () => ({}), ...acceptance },
  "console.seats.set": { body: () => pool },
};

// The changes of members, invites and seats that leave an event each.
import type { Answer, House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { addMember, invitesOf, seatsOf, usersOf, type Person } from "./members-house.ts";

/**
 * The first reads. Who accepts leaves three events: tests/rules/members-acceptance.test.ts. Sending wants a mail
 * server: tests/rules/members-mail.test.ts.
 */
export const elsewhereOfMembers = [
  "console.invite_link",
  "console.accept_invite",
  "console.invites.send",
];

/** The house is there when they are made ready. */
export function memberChanges(houseOf: () => House): Record<string, AuditedChange> {
  const membersOf = async (tenant: Tenant) => (await usersOf(houseOf()).list(tenant)).body.data;
  const listOf = async (tenant: Tenant) => {
    const { body } = await houseOf().ask("GET", "/console/api/invites", { cookie: tenant.cookie });
    return body.data;
  };
  const post = ({ cookie }: Tenant, path: string, body?: unknown, method = "POST") =>
    houseOf().ask(method, `/console/api/${path}`, { cookie, body });
  /** What somebody does to a new member. */
  const onMember = (
    action: string,
    act: (tenant: Tenant, person: Person) => Promise<Answer>,
    state: AuditedChange["state"] = membersOf,
  ): AuditedChange => ({
    action,
    prepare: async (tenant) => {
      const person = await addMember(houseOf(), tenant);
      return () => act(tenant, person);
    },
    state,
  });
  const onInvite = (
    action: string,
    act: (tenant: Tenant, id: string) => Promise<Answer>,
  ): AuditedChange => ({
    action,
    prepare: async (tenant) => {
      const { body } = await invitesOf(houseOf()).create(tenant);
      return () => act(tenant, body.id);
    },
    state: listOf,
  });
  const invite = (send: (tenant: Tenant, body: object) => Promise<Answer>): AuditedChange => ({
    action: "invite.created",
    prepare: async (tenant) => () => send(tenant, { email: "new@audit.example", role: "user" }),
    state: listOf,
  });

  return {
    "users.update": onMember("user.role_changed", (tenant, { id }) =>
      usersOf(houseOf()).setRole(tenant, id, "developer"),
    ),
    "users.delete": onMember("user.removed", (tenant, { id }) =>
      usersOf(houseOf()).remove(tenant, id),
    ),
    "users.sign_out": onMember("user.signed_out_by_administrator", (tenant, { id }) =>
      houseOf().ask("POST", `/v1/organizations/users/${id}/sign_out`, {
        key: tenant.admin_api_key,
        headers: { "vendor-beta": "admin-user-sign-out-2026-10-08" },
      }),
    ),
    "console.members.end_sign_ins": onMember("user.signed_out_by_administrator", (tenant, { id }) =>
      post(tenant, `organization_members/${id}/end_sign_ins`),
    ),
    "console.members.set_role": onMember("user.role_changed", (tenant, { id }) =>
      post(tenant, `organization_members/${id}/role`, { role: "admin" }),
    ),
    "console.members.delete": onMember("user.removed", (tenant, { id }) =>
      post(tenant, `organization_members/${id}`, undefined, "DELETE"),
    ),
    "console.ownership.transfer": onMember(
      "organization.ownership_transferred",
      (tenant, { id, email }) => post(tenant, "ownership", { user_id: id, email }),
    ),
    "console.rename": {
      action: "user.renamed",
      prepare: async (tenant) => () => post(tenant, "name", { name: "Another name" }),
      state: membersOf,
    },
    "invites.create": invite((tenant, body) =>
      houseOf().ask("POST", "/v1/organizations/invites", { key: tenant.admin_api_key, body }),
    ),
    "console.invites.create": invite((tenant, body) => post(tenant, "invites", body)),
    "invites.delete": onInvite("invite.withdrawn", (tenant, id) =>
      invitesOf(houseOf()).withdraw(tenant, id),
    ),
    "console.invites.delete": onInvite("invite.withdrawn", (tenant, id) =>
      post(tenant, `invites/${id}`, undefined, "DELETE"),
    ),
    "console.invites.link": onInvite("invite.link_made", (tenant, id) =>
      post(tenant, `invites/${id}/link`),
    ),
    "console.seats.set": {
      action: "seats.changed",
      prepare: async (tenant) => () => seatsOf(houseOf()).set(tenant, [{ name: "A", seats: 50 }]),
      state: async (tenant) => (await post(tenant, "seats", undefined, "GET")).body,
    },
    "console.members.move_seat": {
      action: "user.seat_changed",
      prepare: async (tenant) => {
        const { body } = await seatsOf(houseOf()).set(tenant, [
          { name: "A", seats: 50 },
          { name: "B", seats: 50 },
        ]);
        const { id } = await addMember(houseOf(), tenant);
        const tier_id = body.tiers[1].id as string;
        return () => post(tenant, `organization_members/${id}/seat`, { tier_id });
      },
      state: async (tenant) => (await post(tenant, "seats", undefined, "GET")).body,
    },
  };
}

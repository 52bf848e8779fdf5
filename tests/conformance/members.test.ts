// The unchanged official client on members and invites, in both of its namespaces.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, invitesOf, ownerOf } from "../rules/members-house.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
before(async () => {
  house = await openHouse({
    sections: { administration: { requests_per_minute: 10_000, invites_per_hour: 10_000 } },
  });
  ({ platform, enterprise } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const clientOf = ({ admin_api_key: apiKey }: Tenant) =>
  new Anthropic({ baseURL: house.url, apiKey, maxRetries: 0 });

const namespaces = {
  "client.organization": (client: Anthropic) => client.organization,
  "client.beta.organization": (client: Anthropic) => client.beta.organization,
};

async function codeOf(work: PromiseLike<unknown>): Promise<[string, string | undefined]> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Anthropic.APIError, String(error));
    const { details } = (error.error as { error: { details?: { error_code?: string } } }).error;
    return [error.constructor.name, details?.error_code];
  }
  return assert.fail("nothing was thrown");
}

for (const [name, of] of Object.entries(namespaces)) {
  test(`${name}.users: pages, filters, role, removal`, async () => {
    const { users } = of(clientOf(platform));
    const domain = `${name.replaceAll(".", "-")}.example`;
    const people = [];
    for (const role of ["user", "developer", "user"] as const)
      people.push(await addMember(house, platform, { role, email: `p${people.length}@${domain}` }));
    const [first, second, third] = people;
    assert.ok(first && second && third);
    const seen: string[] = [];
    for await (const user of users.list({ limit: 1 })) seen.push(user.id);
    assert.deepEqual(seen.slice(0, 3), [third.id, second.id, first.id]);
    const found = await users.list({ email: `P1+tag@${domain}`.toUpperCase() });
    assert.deepEqual(
      found.data.map(({ id }) => id),
      [second.id],
    );
    const developers = await users.list({ roles: ["developer", "billing"], limit: 1 });
    assert.equal(developers.data[0]?.id, second.id);
    const user = await users.retrieve(first.id);
    assert.deepEqual([user.type, user.email, user.role], ["user", first.email, "user"]);
    assert.ok(Date.parse(user.added_at) > 0);
    const changed = await users.update(first.id, { role: "claude_code_user" });
    assert.equal(changed.role, "claude_code_user");
    assert.deepEqual(await users.remove(third.id).then(({ id, type }) => [id, type]), [
      third.id,
      "user_deleted",
    ]);
    assert.deepEqual(await codeOf(users.retrieve(third.id)), ["NotFoundError", undefined]);
    const owner = await ownerOf(house, platform);
    assert.deepEqual(await codeOf(users.update(owner, { role: "user" })), [
      "BadRequestError",
      undefined,
    ]);
  });

  test(`${name}.invites: create, pages, filters, withdrawal, error classes`, async () => {
    const { invites } = of(clientOf(enterprise));
    const domain = `${name.replaceAll(".", "-")}.example`;
    const one = await invites.create({ email: `one@${domain}`, role: "user" });
    const two = await invites.create({ email: `two@${domain}`, role: "managed" });
    assert.deepEqual(
      [one.type, one.status, one.accepted_at, one.rbac_group_ids],
      ["invite", "pending", null, []],
    );
    assert.equal(Date.parse(one.expires_at) - Date.parse(one.invited_at), 21 * 86_400_000);
    const seen: string[] = [];
    for await (const invite of invites.list({ limit: 1, statuses: ["pending"] }))
      seen.push(invite.id);
    assert.deepEqual(seen.slice(0, 2), [two.id, one.id]);
    assert.deepEqual((await invites.list({ email: `TWO@${domain}` })).data, [two]);
    assert.deepEqual((await invites.list({ email: `two@${domain}`, roles: ["user"] })).data, []);
    assert.deepEqual(await invites.retrieve(one.id), { ...one });
    const twice = codeOf(invites.create({ email: `One+x@${domain}`, role: "user" }));
    assert.equal((await twice)[1], "invite_already_exists");
    const { email } = await addMember(house, enterprise, { email: `member@${domain}` });
    assert.equal((await codeOf(invites.create({ email, role: "user" })))[1], "already_member");
    const { id, type } = await invites.delete(one.id);
    assert.deepEqual([id, type], [one.id, "invite_deleted"]);
    assert.equal((await invites.retrieve(one.id)).status, "deleted");
  });
}

test("errors of members are the client's own classes", async () => {
  const { users, invites } = clientOf(enterprise).organization;
  const { email } = await addMember(house, enterprise, { email: "class@client.example" });
  const wanted: [string, () => PromiseLike<unknown>][] = [
    ["AlreadyMemberError", () => invites.create({ email, role: "user" })],
    [
      "RBACGroupNotFoundError",
      () =>
        invites.create({
          email: "groups@client.example",
          role: "user",
          rbac_group_ids: ["rbac_group_none"],
        }),
    ],
  ];
  // The client has a class of its own for each namespace, and takes either.
  for (const [kind, work] of wanted)
    assert.equal((await codeOf(work()))[0].replace(/^Beta/, ""), kind);
  const { cloud } = house.organizations;
  const wrong = await codeOf(clientOf(cloud).organization.users.list());
  assert.deepEqual(wrong, ["NotFoundError", "organization_type_not_supported"]);
  assert.deepEqual(await codeOf(users.retrieve("user_none")), ["NotFoundError", undefined]);
});

test("client.beta.organization.users.signOut", async () => {
  const { users } = clientOf(enterprise).beta.organization;
  const member = await addMember(house, enterprise);
  assert.equal((await users.signOut(member.id)).id, member.id);
  const owner = await ownerOf(house, enterprise);
  assert.deepEqual(await codeOf(users.signOut(owner)), [
    "BetaCannotSignOutPrimaryOwnerError",
    "cannot_sign_out_primary_owner",
  ]);
});

test("an invite that the client made is accepted on the page, and the client sees it", async () => {
  const { invites } = clientOf(platform).organization;
  const made = await invites.create({ email: "page@client.example", role: "billing" });
  const link = await house.ask("POST", `/console/api/invites/${made.id}/link`, {
    cookie: platform.cookie,
  });
  const token = new URLSearchParams(new URL(link.body.link as string).hash.slice(1)).get("token");
  assert.equal((await invitesOf(house).accept(token ?? "")).status, 200);
  const accepted = await invites.retrieve(made.id);
  assert.equal(accepted.status, "accepted");
  assert.ok(Date.parse(accepted.accepted_at ?? "") > 0);
});

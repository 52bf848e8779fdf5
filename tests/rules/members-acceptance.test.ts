// Rules USR22 and USR23, over HTTP: whoever holds the link of an invite becomes a member, once.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { hashSecret } from "../../kernel/secret/token.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, invitesOf, tokenIn, usersOf } from "./members-house.ts";
import { askAt, cookieFrom, eventsOf, hours, sentenceOf } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let clock: ManualClock;
let invites: ReturnType<typeof invitesOf>;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00.000Z"));
  house = await openHouse({ clock });
  ({ platform, enterprise } = house.organizations);
  invites = invitesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const look = (token: string) => house.ask("POST", "/console/api/invite_link", { body: { token } });

test("[USR23] who accepts is a member with the invite's role, and is signed in", async () => {
  const { id, token, email } = await invites.withLink(platform, { role: "developer" });
  const shown = await look(token);
  assert.deepEqual(
    [shown.status, shown.body.organization_name, shown.body.email, shown.body.role],
    [200, "platform of the house", email, "developer"],
  );
  const answer = await invites.accept(token, { name: " Ada  " });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { user } = answer.body;
  assert.deepEqual([user.email, user.name, user.role], [email, "Ada", "developer"]);
  const cookie = cookieFrom(answer);
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie });
  assert.equal(me.user.id, user.id);
  const { body: invite } = await invites.get(platform, id);
  assert.deepEqual([invite.status, invite.accepted_at], ["accepted", clock.now().toISOString()]);
  const again = await house.signIn({
    owner_email: email,
    owner_password: "a password of the tests",
  });
  assert.match(again, /^__Host-plinth=/);
  const actions = (await eventsOf(house, platform, 4)).map(({ action }) => action);
  assert.deepEqual(actions.slice(1), ["user.signed_in", "invite.accepted", "user.created"]);
});

test("[USR23] who accepts joins the groups that are still there", async () => {
  const group = async (name: string) => {
    const { body } = await house.ask("POST", "/v1/organizations/rbac_groups", {
      key: enterprise.admin_api_key,
      headers: { "vendor-version": "2026-10-21" },
      body: { name },
    });
    return body.id as string;
  };
  const rbac_group_ids = [await group("Stays"), await group("Goes")];
  const { token } = await invites.withLink(enterprise, { role: "managed", rbac_group_ids });
  await house.world.db.tx((tx) => tx.query(sql`delete from rbac_groups where name = 'Goes'`));
  const { status, body } = await invites.accept(token);
  assert.equal(status, 200, JSON.stringify(body));
  const rows = await house.world.db.query(
    sql`select group_id from rbac_group_members where user_id = ${body.user.id}`,
  );
  assert.deepEqual(rows, [{ group_id: rbac_group_ids[0] }]);
});

test("[USR22] only the hash of a link is kept, and the log knows nothing of it", async () => {
  const { token } = await invites.withLink(platform);
  await look(token);
  const kept = await allText(house.world.db);
  for (const trace of [token, token.slice(-30)]) {
    assert.ok(!kept.includes(trace), "a text column holds it");
    assert.ok(!JSON.stringify(house.log).includes(trace), "the log holds it");
  }
  const rows = await house.world.db.query(
    sql`select id from invites where secret_sha256 = ${hashSecret(token)}`,
  );
  assert.equal(rows.length, 1);
});

test("[USR22] used, withdrawn, replaced, expired and unknown links are told apart", async () => {
  const used = await invites.withLink(platform);
  await invites.accept(used.token);
  const withdrawn = await invites.withLink(platform);
  await invites.withdraw(platform, withdrawn.id);
  const replaced = await invites.withLink(platform);
  const renewed = await house.ask("POST", `/console/api/invites/${replaced.id}/link`, {
    cookie: platform.cookie,
  });
  const fresh = tokenIn(renewed.body.link);
  for (const [token, sentence] of [
    [used.token, /was accepted already/],
    [withdrawn.token, /was withdrawn/],
    [replaced.token, /not known, or a newer one/],
    ["sk-plinth-inv-nobodys", /not known/],
  ] as const) {
    assert.match(sentenceOf(await look(token), 401), sentence);
    assert.match(sentenceOf(await invites.accept(token), 401), sentence);
  }
  const { expires_at } = (await look(fresh)).body;
  clock.advance(Date.parse(expires_at) - clock.now().getTime() - 1);
  assert.equal((await look(fresh)).status, 200);
  clock.advance(1);
  assert.match(sentenceOf(await look(fresh), 401), /expired at/);
  assert.match(sentenceOf(await invites.accept(fresh), 401), /expired at/);
  platform = { ...platform, cookie: await house.signIn(platform) };
  for (const ended of [used, withdrawn, replaced]) {
    const path = `/console/api/invites/${ended.id}/link`;
    assert.equal((await house.ask("POST", path, { cookie: platform.cookie })).status, 400);
  }
});

test("[USR22] a poor password or name is refused and leaves the link good", async () => {
  const { token } = await invites.withLink(platform);
  for (const body of [
    { password: "short" },
    { password: " ".repeat(20) },
    { name: "\u202e" },
    { name: "" },
  ])
    assert.equal((await invites.accept(token, body)).status, 400, JSON.stringify(body));
  const elsewhere = { headers: { origin: "https://elsewhere.example" } };
  assert.equal((await invites.accept(token, {}, elsewhere)).status, 403);
  assert.equal((await invites.accept(token)).status, 200);
});

test("[USR23] who became a member by another way meanwhile is told so", async () => {
  const { token, email } = await invites.withLink(platform);
  await addMember(house, platform, { email });
  assert.match(sentenceOf(await invites.accept(token), 401), /was accepted already/);
});

test("[USR22] a link opened twice at once makes one member", async () => {
  await using neighbour = await house.openSecondServer();
  const { token, email } = await invites.withLink(platform);
  const body = { token, name: "Twice", password: "a password of the tests" };
  const answers = await Promise.all(
    [house.url, neighbour.url, house.url, neighbour.url].map((url) =>
      askAt(url, "POST", "/console/api/accept_invite", { body }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 401, 401, 401],
  );
  const { body: found } = await usersOf(house).list(platform, `email=${email}`);
  assert.equal(found.data.length, 1);
});

test("[USR23] of an acceptance and a withdrawal at once exactly one holds", async () => {
  await using neighbour = await house.openSecondServer();
  const seen = new Set<string>();
  for (let round = 0; round < 6; round++) {
    const { id, token, email } = await invites.withLink(platform);
    const body = { token, name: "Race", password: "a password of the tests" };
    const accept = () => askAt(neighbour.url, "POST", "/console/api/accept_invite", { body });
    const withdraw = () => invites.withdraw(platform, id);
    // One after the other in both orders, then at once.
    const early = round === 0 ? await accept() : undefined;
    const before = round === 1 ? await withdraw() : undefined;
    const [one, withdrawn] = await Promise.all([early ?? accept(), before ?? withdraw()]);
    const members = (await usersOf(house).list(platform, `email=${email}`)).body.data.length;
    const { status } = (await invites.get(platform, id)).body;
    const outcome = `${one.status} ${withdrawn.status === 200} ${members} ${status}`;
    assert.ok(["200 false 1 accepted", "401 true 0 withdrawn"].includes(outcome), outcome);
    seen.add(outcome);
  }
  assert.equal(seen.size, 2, "the race was never won by both sides");
});

test("[USR33] an invite names the person who sent it, and no key", async () => {
  const { status, body: made } = await invites.create(platform);
  assert.equal(status, 200, JSON.stringify(made));
  const { cookie } = platform;
  const linked = await house.ask("POST", `/console/api/invites/${made.id}/link`, { cookie });
  const token = tokenIn(linked.body.link);
  assert.equal((await look(token)).body.invited_by_name, null);
  await invites.withdraw(platform, made.id);
  assert.equal(
    sentenceOf(await look(token), 401),
    "This invite was withdrawn. Ask an administrator for a new one.",
  );
  const byPerson = await invites.withLink(platform);
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie });
  assert.equal((await look(byPerson.token)).body.invited_by_name, me.user.name);
});

test("[USR22] a link lasts exactly as long as its invite", async () => {
  const { token } = await invites.withLink(platform);
  clock.advance(hours(21 * 24) - 1);
  assert.equal((await invites.accept(token)).status, 200);
});

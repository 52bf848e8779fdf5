// Rule USR24: invites by e-mail, through a mail server that takes, delays and refuses.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { invitesOf } from "./members-house.ts";
import { openMailServer, type MailServer } from "./smtp.ts";
import { sentenceOf, until } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let mail: MailServer;
let platform: Tenant;
let invites: ReturnType<typeof invitesOf>;
before(async () => {
  mail = await openMailServer();
  const settings = {
    host: "127.0.0.1",
    port: mail.port,
    secure: false,
    from: "plinth@mail.example",
  };
  house = await openHouse({ sections: { mail: settings } });
  ({ platform } = house.organizations);
  invites = invitesOf(house);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await mail?.[Symbol.asyncDispose]();
});

const shown = async (id: string) => {
  const { body } = await house.ask("GET", "/console/api/invites?limit=100", {
    cookie: platform.cookie,
  });
  type Shown = { id: string; mail: { status: string; error: string | null } | null };
  return (body.data as Shown[]).find((invite) => invite.id === id)?.mail;
};
const mailOf = (id: string, status: string) =>
  until(async () => {
    const found = await shown(id);
    return found?.status === status && found;
  }, `the mail to be ${status}`);

/** As a mail reader puts lines together. */
const textIn = (whole: string) => whole.replaceAll("=\n", "").replaceAll("=3D", "=");
const linkIn = (whole: string) => /\/accept#token=([\w-]+)/.exec(textIn(whole))?.[1] ?? "";

test("[USR24] an invite over the API is sent, with a link that is good", async () => {
  const email = "ada@usr24.example";
  const { body: invite } = await invites.create(platform, { email });
  assert.deepEqual(await mailOf(invite.id, "sent").then(({ error }) => error), null);
  const [message] = mail.mails.splice(0);
  assert.match(message ?? "", /^To: ada@usr24\.example$/m);
  assert.match(message ?? "", /^From: plinth@mail\.example$/m);
  assert.match(message ?? "", /platform of the house/);
  const token = linkIn(message ?? "");
  assert.equal((await invites.accept(token)).status, 200);
});

test("[USR24] what is for now is tried again, and the queue keeps the link encrypted", async () => {
  mail.refuse("451 come back later");
  const attempts = mail.attempts;
  const { body: invite } = await invites.create(platform);
  await until(async () => (await shown(invite.id))?.error != null, "the first attempt");
  const waiting = await shown(invite.id);
  assert.equal(waiting?.status, "waiting");
  assert.match(waiting?.error ?? "", /come back later/);
  assert.ok(!(await allText(house.world.db)).includes("/accept#token="), "a text column holds it");
  await mailOf(invite.id, "sent");
  assert.equal(mail.attempts - attempts, 2);
  assert.equal(mail.mails.splice(0).length, 1);
});

test("[USR24] a refusal for good is shown, and sending again is a new link", async () => {
  mail.refuse("550 nobody of that name");
  const { id, token: first } = await invites.withLink(platform);
  assert.match((await mailOf(id, "failed")).error ?? "", /nobody of that name/);
  const again = await house.ask("POST", `/console/api/invites/${id}/send`, {
    cookie: platform.cookie,
  });
  assert.equal(again.body.mail.status, "waiting");
  await mailOf(id, "sent");
  const [message] = mail.mails.splice(0);
  const token = linkIn(message ?? "");
  assert.notEqual(token, first);
  assert.match(sentenceOf(await invites.accept(first), 401), /newer one/);
  assert.equal((await invites.accept(token)).status, 200);
});

test("[USR24] nothing is sent for an invite that has ended, and nothing of one that was not made", async () => {
  const attempts = mail.attempts;
  mail.refuse("451 come back later");
  const { body: invite } = await invites.create(platform);
  await until(async () => (await shown(invite.id))?.error != null, "the first attempt");
  await invites.withdraw(platform, invite.id);
  await until(
    async () => (await house.world.db.query(sql`select id from jobs`)).length === 0,
    "the job to end",
  );
  assert.equal(mail.attempts - attempts, 1);
  assert.equal((await invites.create(platform, { role: "owner" })).status, 400);
  assert.equal(mail.mails.length, 0);
});

test("[USR24] without a mail server the console says so", async () => {
  await using plain = await openHouse();
  const tenant = plain.organizations.platform;
  const { id } = await invitesOf(plain).withLink(tenant);
  const path = `/console/api/invites/${id}/send`;
  const answer = await plain.ask("POST", path, { cookie: tenant.cookie });
  assert.match(sentenceOf(answer, 400), /No mail server is set/);
});

// `plinth webhooks`: endpoints of a workspace from a terminal, with a receiver that answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { localNetwork } from "../rules/federation-house.ts";
import { openReceiver, signatureOf, webhooksOf, type Receiver } from "../rules/webhooks-house.ts";
import { runInProcess } from "./in-process.ts";
import { expectSentence } from "./memory.ts";
import { openWorkspaceCommands, type WorkspaceCommands } from "./workspace-commands.ts";

let webhooks: WorkspaceCommands;
let receiver: Receiver;
before(async () => {
  [webhooks, receiver] = await Promise.all([
    openWorkspaceCommands("webhooks", { sections: localNetwork }),
    openReceiver(),
  ]);
});
after(async () => {
  await webhooks?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const events = ["--events", "session.idled", "agent.created"];
const refused = async (code: number, sentence: RegExp, ...words: string[]) =>
  expectSentence(await webhooks.run(...words), code, sentence);

test("an endpoint is made, shown, changed, tested, given a new secret and deleted", async () => {
  const { code, stdout, stderr } = await webhooks.run(
    "create",
    "--address",
    receiver.url,
    ...events,
    "--name",
    "Bell",
  );
  assert.equal(code, 0, stderr);
  const secret = stdout.trim();
  assert.match(secret, /^whsec_[\w+/]+=$/);
  const { data } = await webhooks.parsed("list");
  assert.equal(data.length, 1);
  const { id } = data[0];
  assert.match(stderr, new RegExp(`${id}: the secret is shown this once`));
  assert.match(await webhooks.said("list"), /NAME +STATE +EVENTS[^]*Bell +enabled +2 /);
  const shown = await webhooks.said("show", id);
  for (const words of [/name +Bell/, /event +session\.idled/, /event +agent\.created/])
    assert.match(shown, words);
  assert.match(await webhooks.said("deliveries", id), /^$/);

  const sent = await webhooks.said("test", id, "--event", "agent.created");
  assert.equal(sent, "delivered: agent.created, status 200\n");
  const [post] = receiver.received;
  assert.ok(post);
  assert.equal(post.headers["webhook-signature"], signatureOf(secret, post));
  assert.match(
    await webhooks.said("deliveries", id),
    /agent\.created \(test\) +delivered +1 +status 200/,
  );
  const [old] = (await webhooks.parsed("deliveries", id)).data;
  const replayed = await webhooks.parsed("replay", id, old.id);
  assert.deepEqual([replayed.event_id, replayed.state], [old.event_id, "delivered"]);
  assert.notEqual(replayed.id, old.id);
  assert.deepEqual(
    receiver.received.map((each) => each.headers["webhook-id"]),
    [old.event_id, old.event_id],
  );
  assert.match(await webhooks.said("deliveries", id), new RegExp(`\n${old.id} +${old.event_id} `));
  const renewed = (await webhooks.said("rotate-secret", id)).trim();
  assert.notEqual(renewed, secret);
  const again = await webhooks.parsed("test", id);
  assert.deepEqual([again.event_type, again.state], ["session.idled", "delivered"]);
  const last = receiver.received.at(-1) ?? assert.fail("nothing came");
  assert.equal(
    last.headers["webhook-signature"],
    `${signatureOf(renewed, last)} ${signatureOf(secret, last)}`,
  );

  assert.equal(await webhooks.said("update", id, "--name", "Gong", "--disable"), `updated ${id}\n`);
  const changed = await webhooks.parsed("show", id);
  assert.deepEqual([changed.name, changed.state], ["Gong", "disabled"]);
  await refused(1, /is disabled: enable it/, "test", id);
  assert.equal(await webhooks.said("delete", id, "--yes"), `deleted ${id}\n`);
  await refused(1, /No webhook endpoint|not found|There is no/, "show", id);
});

test("a test event that is not taken fails; what is missing or too much is said", async () => {
  const made = await webhooks.parsed("create", "--address", receiver.url, ...events);
  receiver.answers(500);
  const { code, stdout, stderr } = await webhooks.run("test", made.id);
  assert.deepEqual(
    [code, stdout],
    [1, "not delivered: session.idled, answered with the status 500.\n"],
  );
  assert.match(stderr, /was not taken; see plinth webhooks deliveries whep_/);
  const [{ id: delivery }] = (await webhooks.parsed("deliveries", made.id)).data;
  await refused(1, /is on its way to this endpoint already/, "replay", made.id, delivery);
  await refused(1, /There is no webhook delivery/, "replay", made.id, "whdl_none");
  await refused(2, /must be the id of a delivery/, "replay", made.id, "../x");
  await refused(2, /An endpoint needs where and what/, "create", "--name", "Bell");
  await refused(2, /Say what to change/, "update", made.id);
  await refused(2, /not both/, "update", made.id, "--enable", "--disable");
  await refused(1, /enabled_events/, "update", made.id, "--events", "session.nothing");
  const hooks = webhooksOf(() => webhooks.house, "workspace");
  await hooks.remove(webhooks.house.organizations.platform, made.id);
});

test("with --organization endpoints are the organization's own, which take audit events", async () => {
  const { admin_api_key } = webhooks.house.organizations.platform;
  const env = { PLINTH_ADMIN_KEY: admin_api_key, PLINTH_BASE_URL: webhooks.house.url };
  const own = async (...words: string[]) => {
    const ran = await runInProcess(["webhooks", ...words, "--organization"], env);
    assert.equal(ran.code, 0, ran.stderr);
    return ran.stdout;
  };
  const address = ["--address", receiver.url, "--events", "audit_event.created"];
  assert.match(await own("create", ...address, "--name", "Watch"), /^whsec_\S+\n$/);
  const { data } = JSON.parse(await own("list", "--json")) as { data: { id: string }[] };
  const { id } = data[0] ?? assert.fail("there is none");
  assert.match(await own("show", id), /event +audit_event\.created/);
  assert.equal(await own("update", id, "--name", "Guard"), `updated ${id}\n`);
  assert.match(await own("rotate-secret", id), /^whsec_/);
  assert.doesNotMatch(await webhooks.said("list"), /Guard/);
  assert.equal(await own("delete", id, "--yes"), `deleted ${id}\n`);
  assert.deepEqual((JSON.parse(await own("list", "--json")) as { data: unknown[] }).data, []);
  await refused(1, /enabled_events/, "create", ...address);
});

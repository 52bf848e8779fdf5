// Rules IDN3 and AUD1 where a link is used, and ORG2 and KEY11 about names, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { initialize, unclaimedSetupLink } from "../../server/organization-setup.ts";
import { createOrganization } from "../../server/organizations/module.ts";
import { operator } from "../../server/audit/module.ts";
import { openHouse, type House } from "../house.ts";
import { makeKey, sentenceOf, tokenOf } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const console = "/console/api";
const password = "correct horse battery staple";
const setUp = (body: Record<string, unknown>) => house.ask("POST", `${console}/setup`, { body });

/** An organization that nobody has claimed, and the link to claim it. */
async function unclaimed(name: string) {
  const type = "platform";
  const { id } = await house.world.db.tx((tx) =>
    createOrganization(tx, house.world, operator, { name, type }),
  );
  return { id, token: tokenOf((await unclaimedSetupLink(house.world)) ?? "") };
}

interface KeptEvent {
  action: string;
  /** `user user_…` */
  target: string;
  details: Record<string, unknown>;
  actor: { type: string; id: string | null; name: string | null };
}

const audit = (organizationId: string): Promise<KeptEvent[]> =>
  house.world.db.query<KeptEvent>({
    text: `select action, target_type || ' ' || target_id as target, details,
                  json_build_object('type', actor_type, 'id', actor_id, 'name', actor_name) as actor
           from audit_events where organization_id = $1 order by id`,
    values: [organizationId],
  });

test("[AUD1] claiming an organization leaves one event for each thing that changes", async () => {
  const { id, token } = await unclaimed("Unclaimed");
  const body = {
    token,
    password,
    email: "Ann@setup.example",
    name: "Ann",
    organization_name: "Ann's",
  };
  const answer = await setUp(body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const ann = (answer.body as { user: { id: string } }).user.id;
  const by = { type: "user", id: ann, name: "Ann" };
  const events = await audit(id);
  assert.deepEqual(
    events.slice(0, 2).map(({ action, target }) => [action, target]),
    [
      ["organization.created", `organization ${id}`],
      ["organization.setup_link_made", `organization ${id}`],
    ],
  );
  assert.deepEqual(
    events
      .slice(2)
      .map(({ action, target, details, actor }) => ({ action, target, details, actor })),
    [
      {
        action: "user.created",
        target: `user ${ann}`,
        details: { email: "Ann@setup.example", name: "Ann", role: "primary_owner" },
        actor: by,
      },
      {
        action: "organization.renamed",
        target: `organization ${id}`,
        details: { name: "Ann's", name_before: "Unclaimed" },
        actor: by,
      },
      { action: "user.set_up", target: `user ${ann}`, details: {}, actor: by },
    ],
  );
});

test("[AUD1] init tells of the owner and of the link that it makes", async () => {
  const email = "ben@setup.example";
  const made = await initialize(house.world, { organization: "Ben", type: "platform", email });
  const events = await audit(made.organization_id);
  const owner = events.find(({ action }) => action === "user.created")?.target;
  assert.match(owner ?? "", /^user user_/);
  assert.deepEqual(
    events.map(({ action, actor }) => [action, actor.type]),
    [
      ["organization.created", "operator"],
      ["user.created", "operator"],
      ["key.created", "operator"],
      ["key.created", "operator"],
      ["user.setup_link_made", "operator"],
    ],
  );
  assert.equal(events.at(-1)?.target, owner);

  // The link of an owner sets a password and a name: the organization's is not its to change.
  const token = tokenOf(made.setup_url);
  const renaming = await setUp({ token, password, organization_name: "Taken over" });
  assert.match(sentenceOf(renaming, 400), /^organization_name: /);
  assert.equal((await setUp({ token, password, name: "Ben B." })).status, 200);
  assert.deepEqual(
    (await audit(made.organization_id)).slice(events.length).map((event) => event.action),
    ["user.renamed", "user.set_up"],
  );
});

test("[ORG2] a name is one line that can be seen, and unique however it is spelt", async () => {
  const { token } = await unclaimed("To be named");
  const claim = (organization_name: string, name = "Cyd") =>
    setUp({ token, password, email: "cyd@setup.example", name, organization_name });
  for (const bad of [" ", "\u200b", "a\nb", "a\u202eb", "a\u0007b"])
    assert.match(sentenceOf(await claim(bad), 400), /^organization_name: /, JSON.stringify(bad));
  assert.match(sentenceOf(await claim("Good", "\u3164"), 400), /^name: /);
  const options = { type: "platform", email: "zoe@setup.example" } as const;
  await initialize(house.world, { organization: "Z\u00fcrich", ...options });
  assert.match(sentenceOf(await claim(" Zu\u0308rich "), 409), /is taken/);
  const { body } = await claim("  Cyd & Co  ");
  assert.equal(body.organization.name, "Cyd & Co");
});

test("[KEY11] a key's name is one line that can be seen", async () => {
  const { platform } = house.organizations;
  const { cookie } = platform;
  const key = await makeKey(house, platform, { name: "  Padded " });
  assert.equal(key.name, "Padded");
  for (const name of ["   ", "a\nb", "\u202eb", "\u200d"]) {
    const made = await house.ask("POST", `${console}/keys`, {
      cookie,
      body: { name, kind: "api" },
    });
    assert.match(sentenceOf(made, 400), /^name: /);
    const path = `/v1/organizations/api_keys/${key.id}`;
    const renamed = await house.ask("POST", path, { key: platform.admin_api_key, body: { name } });
    assert.match(sentenceOf(renamed, 400), /^name: /);
  }
});

test("[KEY12] a list goes on from one of its own ids only", async () => {
  const { platform, other } = house.organizations;
  const path = "/v1/organizations/api_keys";
  const key = platform.admin_api_key;
  const own = await makeKey(house, platform);
  const foreign = await makeKey(house, other);
  for (const field of ["after_id", "before_id"]) {
    for (const id of ["apikey_nothing", "x", foreign.id]) {
      const answer = await house.ask("GET", `${path}?${field}=${id}`, { key });
      const expected = `${field}: is not the id of a key of this list.`;
      assert.equal(sentenceOf(answer, 400), expected);
    }
    assert.equal((await house.ask("GET", `${path}?${field}=${own.id}`, { key })).status, 200);
  }
});

// Rules AUD1 to AUD4, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret } from "../../kernel/secret/token.ts";
import { initialize } from "../../server/installation.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { eventsOf, makeKey, sentenceOf, tokenOf, type Event } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const newPassword = "a new password of the owner";

interface Change {
  /** What the event says. */
  action: string;
  /** Makes ready; the result does it, in the name of this tenant. */
  prepare(tenant: Tenant): Promise<() => Promise<Answer>>;
  /** What the change changes, seen from outside: the same before and after a change that failed. */
  state(tenant: Tenant): Promise<unknown>;
}

const keysOf = async ({ cookie }: Tenant) => {
  const { body } = await house.ask("GET", "/console/api/keys?limit=100", { cookie });
  return (body.data as Record<string, unknown>[]).map(({ id, name, status }) => [id, name, status]);
};
const signInsOf = async ({ cookie }: Tenant) => {
  const { status, body } = await house.ask("GET", "/console/api/sign_ins", { cookie });
  return [status, status === 200 && (body.data as { id: string }[]).map(({ id }) => id)];
};
const opensWith = async ({ owner_email: email }: Tenant, password: string) =>
  (await house.ask("POST", "/console/api/sign_in", { body: { email, password } })).status;

const read = ({ cookie }: Tenant, noun: string) =>
  house.ask("GET", `/console/api/${noun}`, { cookie }).then(({ body }) => body);
const readBoth = (one: string, other: string) => (tenant: Tenant) =>
  Promise.all([read(tenant, one), read(tenant, other)]);
const catalogFor = readBoth("models", "upstreams");
const limitsOf = readBoth("rate_limits", "spend_limits");

const sevenRequests = { group: "sim-large", limits: [{ type: "requests_per_minute", value: 7 }] };
const oneUnit = { scope: { type: "organization" }, amount: "100" };
const limit = ({ cookie }: Tenant, noun: string, body: object) =>
  house.ask("POST", `/console/api/${noun}`, { cookie, body });

/** Every changing route. A new one has no line here yet: see the last test. */
const changes: Record<string, Change> = {
  "console.keys.create": {
    action: "key.created",
    prepare: async ({ cookie }) => {
      const body = { name: "Made", kind: "api" };
      return () => house.ask("POST", "/console/api/keys", { cookie, body });
    },
    state: keysOf,
  },
  "console.keys.update": {
    action: "key.deactivated",
    prepare: async (tenant) => {
      const { id } = await makeKey(house, tenant);
      const { cookie } = tenant;
      const body = { status: "inactive" };
      return () => house.ask("POST", `/console/api/keys/${id}`, { cookie, body });
    },
    state: keysOf,
  },
  "api_keys.update": {
    action: "key.renamed",
    prepare: async (tenant) => {
      const { id } = await makeKey(house, tenant);
      const body = { name: "Renamed" };
      const key = tenant.admin_api_key;
      return () => house.ask("POST", `/v1/organizations/api_keys/${id}`, { key, body });
    },
    state: keysOf,
  },
  "console.models.set": {
    action: "model.set",
    prepare: async ({ cookie, organization_id: id }) => {
      const body = { id, upstream: "simulator" };
      return () => house.ask("POST", "/console/api/models", { cookie, body });
    },
    state: catalogFor,
  },
  "console.models.delete": {
    action: "model.removed",
    prepare: async ({ cookie, organization_id: id }) => {
      const body = { id, upstream: "simulator" };
      await house.ask("POST", "/console/api/models", { cookie, body });
      return () => house.ask("DELETE", `/console/api/models/${id}`, { cookie });
    },
    state: catalogFor,
  },
  "console.upstreams.set": {
    action: "upstream.set",
    prepare: async ({ cookie, organization_id: name }) => {
      const body = { name, kind: "simulator" };
      return () => house.ask("POST", "/console/api/upstreams", { cookie, body });
    },
    state: catalogFor,
  },
  "console.upstreams.test": {
    action: "upstream.tested",
    prepare: async ({ cookie }) => {
      const body = { base_url: "http://127.0.0.1:9" };
      return () => house.ask("POST", "/console/api/upstreams/test", { cookie, body });
    },
    state: catalogFor,
  },
  "console.upstreams.delete": {
    action: "upstream.removed",
    prepare: async ({ cookie, organization_id: name }) => {
      await house.ask("POST", "/console/api/upstreams", {
        cookie,
        body: { name, kind: "simulator" },
      });
      return () => house.ask("DELETE", `/console/api/upstreams/${name}`, { cookie });
    },
    state: catalogFor,
  },
  "console.rate_limits.set": {
    action: "rate_limit.set",
    prepare: async (tenant) => () => limit(tenant, "rate_limits", sevenRequests),
    state: limitsOf,
  },
  "console.spend_limits.set": {
    action: "spend_limit.set",
    prepare: async (tenant) => () => limit(tenant, "spend_limits", oneUnit),
    state: limitsOf,
  },
  "console.spend_limits.delete": {
    action: "spend_limit.removed",
    prepare: async (tenant) => {
      await limit(tenant, "spend_limits", oneUnit);
      const { cookie } = tenant;
      return () => house.ask("DELETE", "/console/api/spend_limits/organization", { cookie });
    },
    state: limitsOf,
  },
  "console.sign_in": {
    action: "user.signed_in",
    prepare: async ({ owner_email: email, owner_password: password }) => {
      return () => house.ask("POST", "/console/api/sign_in", { body: { email, password } });
    },
    state: signInsOf,
  },
  "console.sign_ins.delete": {
    action: "user.sign_in_ended",
    prepare: async (tenant) => {
      await house.signIn(tenant);
      const { cookie } = tenant;
      const { body } = await house.ask("GET", "/console/api/sign_ins", { cookie });
      const { id } = (body.data as { id: string; current: boolean }[]).find(
        ({ current }) => !current,
      ) ?? { id: "" };
      return () => house.ask("DELETE", `/console/api/sign_ins/${id}`, { cookie });
    },
    state: signInsOf,
  },
  "console.sign_out": {
    action: "user.signed_out",
    prepare: async (tenant) => {
      const cookie = await house.signIn(tenant);
      return () => house.ask("POST", "/console/api/sign_out", { cookie });
    },
    state: signInsOf,
  },
  "console.password": {
    action: "user.password_changed",
    prepare: async ({ cookie, owner_password: current_password }) => {
      const body = { current_password, new_password: newPassword };
      return () => house.ask("POST", "/console/api/password", { cookie, body });
    },
    state: async (tenant) => [await signInsOf(tenant), await hashOf(tenant)],
  },
  "console.setup": {
    action: "user.set_up",
    prepare: async (tenant) => {
      const token = tokenOf(tenant.setup_url);
      const body = { token, password: newPassword };
      return () => house.ask("POST", "/console/api/setup", { body });
    },
    state: async (tenant) => [await signInsOf(tenant), await hashOf(tenant)],
  },
  "console.sign_out_everywhere": {
    action: "user.signed_out_everywhere",
    prepare: async ({ cookie }) => {
      return () => house.ask("POST", "/console/api/sign_out_everywhere", { cookie });
    },
    state: signInsOf,
  },
};

/** Signing in would be a change of its own. */
const hashOf = async ({ organization_id }: Tenant) =>
  await house.world.db.query({
    text: "select password_hash from users where organization_id = $1",
    values: [organization_id],
  });

/** A tenant that the change may leave without cookie or password. */
async function tenant(name: string): Promise<Tenant> {
  const made = await initialize(house.world, {
    organization: name,
    type: "platform",
    email: `${name.replaceAll(/\W/g, "-")}@audit.example`,
  });
  return { ...made, cookie: await house.signIn(made) };
}

const eventsIn = ({ organization_id }: Tenant) =>
  house.world.db.query<{ id: string; action: string; request_id: string | null }>({
    text: "select id, action, request_id from audit_events where organization_id = $1 order by id",
    values: [organization_id],
  });

/** Models belong to the installation: only its first organization may change them. */
const tenantFor = async (operation: string, name: string) =>
  /^console\.(models|upstreams)\./.test(operation) ? platform : await tenant(name);

for (const [operation, { action, prepare, state }] of Object.entries(changes)) {
  test(`[AUD1] ${operation} leaves exactly one event`, async () => {
    const somebody = await tenantFor(operation, `one event of ${operation}`);
    const change = await prepare(somebody);
    const before = await eventsIn(somebody);
    const answer = await change();
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    const added = (await eventsIn(somebody)).slice(before.length);
    assert.deepEqual(
      added.map((event) => [event.action, event.request_id]),
      [[action, answer.headers.get("request-id")]],
    );
  });

  test(`[AUD1] ${operation} changes nothing when its event cannot be written`, async () => {
    const somebody = await tenantFor(operation, `no event of ${operation}`);
    const change = await prepare(somebody);
    const before = await state(somebody);
    await using _refusing = await refuseEvents();
    assert.equal((await change()).status, 500);
    assert.deepEqual(await state(somebody), before);
    const errors = house.expectErrors();
    assert.equal(errors.length, 1);
    assert.match(JSON.stringify(errors), /no events today/);
  });
}

async function refuseEvents(): Promise<AsyncDisposable> {
  const run = (text: string) => house.world.db.tx((tx) => tx.query({ text, values: [] }));
  await run(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no events today'; end $$`);
  await run("create trigger refuse before insert on audit_events execute function refuse()");
  return {
    [Symbol.asyncDispose]: async () =>
      void (await run("drop trigger refuse on audit_events; drop function refuse()")),
  };
}

/** They read what a link is for, and ask models: the ledger has a row for each, not the audit log. */
const unchanging = new Set(["console.setup_link", "messages.create", "messages.count_tokens"]);

test("[AUD1] every changing route has been tried", () => {
  const changing = routes
    .filter(({ method }) => method !== "GET")
    .map(({ operation }) => operation)
    .filter((operation) => !unchanging.has(operation));
  assert.deepEqual(Object.keys(changes).sort(), changing.sort());
});

test("[AUD1] a change that changes nothing leaves no event, and neither does a refused one", async () => {
  const { id, name } = await makeKey(house, platform);
  const path = `/console/api/keys/${id}`;
  const { cookie } = platform;
  const before = await eventsIn(platform);
  for (const body of [{}, { name }, { status: "active" }, { name: "" }, { status: "expired" }])
    await house.ask("POST", path, { cookie, body });
  await house.ask("POST", "/console/api/keys", { cookie, body: { name: "x", kind: "oauth" } });
  assert.deepEqual(await eventsIn(platform), before);
});

test("[AUD1] the event says who, what, when and from where", async () => {
  const { id } = await makeKey(house, platform);
  const path = `/v1/organizations/api_keys/${id}`;
  const { headers } = await house.ask("POST", path, {
    key: platform.admin_api_key,
    body: { name: "By a key" },
  });
  const [byKey, byUser] = await eventsOf(house, platform, 2);
  assert.equal(byKey?.actor.type, "admin_key");
  assert.equal(byKey.actor.name, "First admin key");
  assert.equal(byKey.request_id, headers.get("request-id"));
  assert.deepEqual(byKey.target, { type: "key", id });
  assert.equal(byUser?.actor.type, "user");
  assert.match(String(byUser.actor.id), /^user_/);
});

test("[AUD2] a sign-in and a refused one of a known account leave an event; an unknown one leaves none", async () => {
  const somebody = await tenant("somebody signs in");
  const before = await eventsIn(somebody);
  assert.equal(await opensWith(somebody, "not the password"), 401);
  assert.equal(await opensWith(somebody, somebody.owner_password), 200);
  const added = (await eventsIn(somebody)).slice(before.length);
  assert.deepEqual(
    added.map(({ action }) => action),
    ["user.sign_in_refused", "user.signed_in"],
  );
  const all = await house.world.db.query({ text: "select id from audit_events", values: [] });
  assert.equal(await opensWith({ ...somebody, owner_email: "nobody@at.all" }, "whatever"), 401);
  const afterwards = await house.world.db.query({
    text: "select id from audit_events",
    values: [],
  });
  assert.equal(afterwards.length, all.length);
});

test("[AUD3] pages run newest first through all of the organization's events", async () => {
  for (let count = 0; count < 7; count++) await makeKey(house, other);
  const whole = await eventsOf(house, other, 100);
  assert.deepEqual(
    whole.map(({ id }) => id),
    whole.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1)),
  );
  const paged: Event[] = [];
  let page = "";
  do {
    const { status, body } = await house.ask("GET", `/console/api/audit?limit=3${page}`, {
      cookie: other.cookie,
    });
    assert.equal(status, 200);
    assert.ok(body.data.length <= 3);
    paged.push(...(body.data as Event[]));
    page = body.next_page === null ? "" : `&page=${encodeURIComponent(body.next_page)}`;
  } while (page !== "");
  assert.deepEqual(paged, whole);
});

test("[AUD3] another organization's events are absent, and its cursors are none", async () => {
  const theirs = await eventsOf(house, other);
  const mine = await eventsOf(house, platform);
  assert.ok(theirs.every(({ id }) => !mine.some((event) => event.id === id)));
  const pageOf = async (path: string, { cookie }: Tenant) =>
    String((await house.ask("GET", path, { cookie })).body.next_page);
  const askWith = async (page: string) =>
    sentenceOf(
      await house.ask("GET", `/console/api/audit?page=${encodeURIComponent(page)}`, {
        cookie: platform.cookie,
      }),
      400,
    );
  const good = await pageOf("/console/api/audit?limit=1", platform);
  const forged = good.slice(0, -2) + (good.endsWith("A") ? "BB" : "AA");
  await makeKey(house, platform);
  await makeKey(house, platform);
  for (const page of [
    await pageOf("/console/api/audit?limit=1", other),
    await pageOf("/console/api/keys?limit=1", platform),
    forged,
    theirs[0]?.id ?? "",
  ])
    assert.match(await askWith(page), /^page: is not a cursor of this list/);
});

test("[AUD4] no event, and no other text in the database, holds a secret, a password or a token", async () => {
  const somebody = await tenant("somebody with secrets");
  const { cookie, owner_password } = somebody;
  const key = await makeKey(house, somebody);
  const body = { current_password: owner_password, new_password: newPassword };
  await house.ask("POST", "/console/api/password", { cookie, body });
  await opensWith(somebody, "a wrong password that nobody has");
  const token = tokenOf(somebody.setup_url);
  await house.ask("POST", "/console/api/setup", { body: { token, password: newPassword } });
  const secrets = [
    key.secret,
    somebody.api_key,
    somebody.admin_api_key,
    somebody.oauth_access_token,
    token,
    cookie.slice(cookie.indexOf("=") + 1),
    owner_password,
    newPassword,
    "a wrong password that nobody has",
  ];
  const kept = await allText(house.world.db);
  const logged = JSON.stringify(house.log);
  for (const secret of secrets) {
    const hash = hashSecret(secret);
    for (const trace of [secret, hash.toString("hex"), hash.toString("base64")]) {
      assert.ok(!kept.includes(trace), "the database holds it in plain text");
      assert.ok(!logged.includes(trace), "the log holds it");
    }
  }
  assert.match(kept, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

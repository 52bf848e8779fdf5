// Rules AUD1 and BAT33, over HTTP: every route that changes something, and the one event that it leaves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { routes } from "../../server/app.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant, eventsIn, newPassword, type AuditedChange } from "./audit-house.ts";
import { agentChanges } from "./audit-agents.ts";
import { environmentChanges, unrecordedOfEnvironments } from "./audit-environments.ts";
import { deploymentChanges } from "./audit-deployments.ts";
import { elsewhereOfMcpRows, mcpRowChanges } from "./audit-mcp-rows.ts";
import { alertChanges } from "./audit-alerts.ts";
import { promptChanges } from "./audit-prompts.ts";
import { vaultChanges } from "./audit-vaults.ts";
import { federationChanges } from "./audit-federation.ts";
import { groupChanges } from "./audit-groups.ts";
import { limitChanges } from "./audit-limits.ts";
import { identityProviderChanges, lookUpTxt } from "./audit-identity-provider.ts";
import { elsewhereOfMembers, memberChanges } from "./audit-members.ts";
import { sessionChanges, unrecordedOfSessions } from "./audit-sessions.ts";
import { askingOfSignOn, signOnChanges } from "./audit-sign-on.ts";
import { skillChanges } from "./audit-skills.ts";
import { storeChanges } from "./audit-stores.ts";
import { webhookChanges } from "./audit-webhooks.ts";
import { workspaceChanges } from "./audit-workspaces.ts";
import { askingOfAuthorizations, authorizationChanges } from "./audit-authorizations.ts";
import { type Batch, batchesOf, items } from "./batches-house.ts";
import { localNetwork } from "./federation-house.ts";
import { memoryOf } from "./memory-house.ts";
import { eventsOf, makeKey, tokenOf } from "./support.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse({ lookUpTxt, sections: localNetwork });
  ({ platform } = house.organizations);
});
after(async () => {
  await batchesOf(house).idle();
  await memory.idle();
  await house[Symbol.asyncDispose]();
});

const keysOf = async ({ cookie }: Tenant) => {
  const { body } = await house.ask("GET", "/console/api/keys?limit=100", { cookie });
  return (body.data as Record<string, unknown>[]).map(({ id, name, status }) => [id, name, status]);
};
const signInsOf = async ({ cookie }: Tenant) => {
  const { status, body } = await house.ask("GET", "/console/api/sign_ins", { cookie });
  return [status, status === 200 && (body.data as { id: string }[]).map(({ id }) => id)];
};
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

const slow = items("[[tokens 8]] [[rate 1]]");
const batchesFor = async ({ api_key: key }: Tenant) => {
  const { body } = await batchesOf(house).call("GET", "", { key });
  return (body.data as Batch[]).map(({ id, cancel_initiated_at }) => [id, cancel_initiated_at]);
};

const memory = memoryOf(() => house);
/** Every changing route. A new one has no line here yet: see the last test. */
const changes: Record<string, AuditedChange> = {
  ...agentChanges(() => house),
  ...promptChanges(() => house),
  ...alertChanges(() => house),
  ...authorizationChanges(() => house),
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
  "messages.batches.create": {
    action: "batch.created",
    prepare: async ({ api_key: key }) => {
      return () => batchesOf(house).post(items("Hello"), { key });
    },
    state: batchesFor,
  },
  "messages.batches.cancel": {
    action: "batch.cancel_initiated",
    prepare: async ({ api_key: key }) => {
      const { id } = await batchesOf(house).create(slow, { key });
      return () => batchesOf(house).cancel(id, { key });
    },
    state: batchesFor,
  },
  "messages.batches.delete": {
    action: "batch.deleted",
    prepare: async ({ api_key: key }) => {
      const { id } = await batchesOf(house).create(items("Hello"), { key });
      await batchesOf(house).ended(id, { key });
      return () => batchesOf(house).remove(id, { key });
    },
    state: batchesFor,
  },
  ...groupChanges(() => house),
  ...limitChanges(() => house),
  ...identityProviderChanges(() => house),
  ...federationChanges(() => house),
  ...memberChanges(() => house),
  ...storeChanges(() => house),
  ...environmentChanges(() => house),
  ...deploymentChanges(() => house),
  ...vaultChanges(() => house),
  ...mcpRowChanges(() => house),
  ...sessionChanges(() => house),
  ...skillChanges(() => house),
  ...signOnChanges(() => house),
  ...webhookChanges(() => house),
  ...workspaceChanges(() => house),
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

/** Models belong to the installation: only its first organization may change them. */
const tenantFor = async (operation: string, name: string) =>
  /^console\.(models|upstreams)\./.test(operation)
    ? platform
    : await auditTenant(house, name, changes[operation]?.type);

for (const [operation, { action, makes, prepare, state }] of Object.entries(changes)) {
  test(`[AUD1] ${operation} leaves exactly one event`, async () => {
    const somebody = await tenantFor(operation, `one event of ${operation}`);
    const change = await prepare(somebody);
    const before = await eventsIn(house, somebody);
    const answer = await change();
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    const added = (await eventsIn(house, somebody)).slice(before.length);
    assert.deepEqual(
      added.map((event) => [event.action, event.request_id]),
      [...(makes === undefined ? [] : [makes]), action].map((each) => [
        each,
        answer.headers.get("request-id"),
      ]),
    );
  });

  test(`[AUD1] ${operation} changes nothing when its event cannot be written`, async () => {
    const somebody = await tenantFor(operation, `no event of ${operation}`);
    const change = await prepare(somebody);
    const before = await state(somebody);
    await using _refusing = await refuseEvents();
    assert.equal((await change()).status, 500);
    assert.deepEqual(await state(somebody), before);
    // What is noted in the background meanwhile fails as well, and is tried again.
    const errors = house.expectErrors().filter((line) => line["operation"] !== undefined);
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

/** They read what a link is for, ask models and write memories: the latter leave rows of their own. */
const unchanging = new Set([
  "console.federation_rules.test",
  ...askingOfAuthorizations,
  ...askingOfSignOn,
  ...unrecordedOfEnvironments,
  ...unrecordedOfSessions,
  ...elsewhereOfMcpRows,
  ...elsewhereOfMembers,
  "console.setup_link",
  "messages.create",
  "messages.count_tokens",
  "memory_stores.memories.create",
  "memory_stores.memories.update",
  "memory_stores.memories.delete",
]);

test("[AUD1] every changing route has been tried", () => {
  const changing = routes
    .filter(({ method }) => method !== "GET")
    .map(({ operation }) => operation)
    .filter((operation) => !unchanging.has(operation));
  assert.deepEqual(Object.keys(changes).sort(), changing.sort());
});

test("[BAT33] a batch's events name it; what changes nothing, or is refused, leaves none", async () => {
  const somebody = await auditTenant(house, "events of a batch");
  const batches = batchesOf(house);
  const asking = { key: somebody.api_key };
  const { id } = await batches.create(items("[[tokens 4]] [[rate 4]]", "Hello"), asking);
  await batches.remove(id, asking);
  await batches.cancel(id, asking);
  await batches.cancel(id, asking);
  await batches.ended(id, asking);
  await batches.cancel(id, asking);
  await batches.remove(id, asking);
  await batches.remove(id, asking);
  await batches.post([], asking);
  await batches.cancel(id);
  const events = await eventsOf(house, somebody, 3);
  assert.deepEqual(
    events.map(({ action, target, actor }) => [action, target, actor.type]),
    ["batch.deleted", "batch.cancel_initiated", "batch.created"].map((action) => [
      action,
      { type: "message_batch", id },
      "api_key",
    ]),
  );
  const all = (await eventsIn(house, somebody)).filter(({ action }) => action.startsWith("batch."));
  assert.equal(all.length, 3);
});

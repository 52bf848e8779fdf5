// How to make what the routes of environments name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { queuedWorkIn, workerIn } from "./worker.ts";

const path = "/v1/environments";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };
const hosted = { name: "ours", config: { type: "self_hosted" } };

const post = async (tenant: Tenant, path: string, body: unknown) =>
  (await tenant.console("POST", path, body, beta)) as { id: string };
const environmentIn = async (tenant: Tenant) => ({
  environment_id: (await post(tenant, path, hosted)).id,
});
const keyIn = async (tenant: Tenant) => {
  const { environment_id } = await environmentIn(tenant);
  const { id } = await post(tenant, `${path}/${environment_id}/keys`, {});
  return { environment_id, environment_key_id: id };
};

const ownQueue = async (tenant: Tenant) => {
  const { environment_id } = await workerIn(tenant);
  return { environment_id };
};
/** One to be handed out, and others. */
const twoQueued = async (tenant: Tenant) => {
  await queuedWorkIn(tenant);
  await queuedWorkIn(tenant);
};

export const environmentFixtures: Readonly<Record<string, Fixture>> = {
  "environments.create": { body: () => ({ name: "tools" }) },
  "environments.list": {
    items: async (tenant) => {
      await environmentIn(tenant);
      await environmentIn(tenant);
    },
  },
  "environments.retrieve": { params: environmentIn },
  "environments.update": { params: environmentIn, body: () => ({ name: "other" }) },
  "environments.archive": { params: environmentIn },
  "environments.delete": { params: environmentIn },
  "environments.keys.create": { params: environmentIn, body: () => ({ name: "Worker" }) },
  "environments.keys.list": {
    params: async (tenant) => {
      const { environment_id } = await keyIn(tenant);
      await post(tenant, `${path}/${environment_id}/keys`, {});
      return { environment_id };
    },
    items: async () => {},
  },
  "environments.keys.revoke": { params: keyIn },
  "environments.check": { params: environmentIn },
  "environments.work.poll": {
    params: async (tenant) => {
      await queuedWorkIn(tenant);
      return ownQueue(tenant);
    },
  },
  "environments.work.stats": { params: environmentIn },
  "environments.work.list": { params: ownQueue, items: twoQueued },
  "environments.work.retrieve": { params: queuedWorkIn },
  "environments.work.update": { params: queuedWorkIn, body: () => ({ metadata: { a: "1" } }) },
  "environments.work.ack": { params: queuedWorkIn },
  "environments.work.heartbeat": {
    params: queuedWorkIn,
    elsewhere: "tests/rules/environments-work.test.ts [ENV34]",
  },
  "environments.work.stop": { params: queuedWorkIn, body: () => ({ force: true }) },
  "console.environments.work.list": { params: ownQueue, items: twoQueued },
  "console.environments.work.check": { params: environmentIn },
  "console.environments.refused_connections": { params: environmentIn },
  "console.environments.packages": { params: environmentIn },
};

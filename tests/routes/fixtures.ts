// What the tests derived from the route table need to know of a route beyond the table: how to make what it names.
import { Readable } from "node:stream";
import { storeToolFile } from "../../server/files/module.ts";
import { agentFixtures } from "./fixtures-agents.ts";
import { authorizationFixtures } from "./fixtures-authorizations.ts";
import { deploymentFixtures } from "./fixtures-deployments.ts";
import { environmentFixtures } from "./fixtures-environments.ts";
import { federationFixtures } from "./fixtures-federation.ts";
import { tokenFixtures } from "./fixtures-tokens.ts";
import type { Tenant } from "./callers.ts";
import { groupFixtures } from "./fixtures-groups.ts";
import { identityProviderFixtures } from "./fixtures-identity-provider.ts";
import { auditFixtures } from "./fixtures-audit.ts";
import { requestFixtures } from "./fixtures-requests.ts";
import { promptFixtures } from "./fixtures-prompts.ts";
import { mcpServerFixtures } from "./fixtures-mcp-servers.ts";
import { memberFixtures } from "./fixtures-members.ts";
import { limitFixtures } from "./fixtures-limits.ts";
import { reportFixtures } from "./fixtures-reports.ts";
import type { Fixture } from "./fixture.ts";
import { searchFixtures } from "./fixtures-search.ts";
import { sessionFixtures } from "./fixtures-sessions.ts";
import { signOnFixtures } from "./fixtures-sign-on.ts";
import { skillFixtures } from "./fixtures-skills.ts";
import { vaultFixtures } from "./fixtures-vaults.ts";
import { webhookFixtures } from "./fixtures-webhooks.ts";
import { workspaceFixtures } from "./fixtures-workspaces.ts";

const keyIn = async (tenant: Tenant, name: string) => {
  const made = await tenant.console("POST", "/console/api/keys", { name, kind: "api" });
  return (made as { id: string }).id;
};

const twoKeys = async (tenant: Tenant) => {
  await keyIn(tenant, "first");
  await keyIn(tenant, "second");
};

const endedBatchIn = async (tenant: Tenant): Promise<string> => {
  const requests = ["one", "two"].map((custom_id) => ({ custom_id, params: question }));
  const body = { requests };
  let batch = (await tenant.console("POST", "/v1/messages/batches", body)) as Batch;
  while (batch.processing_status !== "ended") {
    await new Promise((resolve) => setTimeout(resolve, 20));
    batch = (await tenant.console("GET", `/v1/messages/batches/${batch.id}`)) as Batch;
  }
  return batch.id;
};

interface Batch {
  id: string;
  processing_status: string;
}

const batchOf = async (tenant: Tenant) => ({ message_batch_id: await endedBatchIn(tenant) });
const runningBatchIn = async (tenant: Tenant) => {
  const content = "[[tokens 8]] [[rate 1]]";
  const params = { ...question, messages: [{ role: "user", content }] };
  const body = { requests: [{ custom_id: "one", params }] };
  const { id } = (await tenant.console("POST", "/v1/messages/batches", body)) as Batch;
  return { message_batch_id: id };
};

const memory = { "vendor-beta": "agent-memory-2026-07-22" };
const post = async (tenant: Tenant, path: string, body: unknown = {}) =>
  (await tenant.console("POST", path, body, memory)) as { id: string };
const storeIn = async (tenant: Tenant) => {
  const { id } = await post(tenant, "/v1/memory_stores", { name: "notes" });
  return { memory_store_id: id };
};
const twoStores = async (tenant: Tenant) => {
  await storeIn(tenant);
  await storeIn(tenant);
};
const memoriesIn = async (tenant: Tenant, paths: readonly string[]) => {
  const params = await storeIn(tenant);
  const path = `/v1/memory_stores/${params.memory_store_id}/memories`;
  const written = paths.map((each) => post(tenant, path, { path: each, content: "a word" }));
  const [first] = await Promise.all(written);
  return { ...params, memory_id: first?.id ?? "" };
};
const threeMemories = ["/a", "/b/c", "/b/d"];
const storeOf = async (tenant: Tenant, paths: readonly string[]) => {
  const { memory_store_id } = await memoriesIn(tenant, paths);
  return { memory_store_id };
};
/** The version before the head, so that it may be redacted. */
const oldVersionIn = async (tenant: Tenant) => {
  const { memory_store_id, memory_id } = await memoriesIn(tenant, ["/a"]);
  const path = `/v1/memory_stores/${memory_store_id}/memories/${memory_id}`;
  const before = (await tenant.console("GET", path, undefined, memory)) as {
    memory_version_id: string;
  };
  await post(tenant, path, { content: "another word" });
  return { memory_store_id, memory_version_id: before.memory_version_id };
};

const formWith = (text: string) => {
  const form = new FormData();
  form.append("file", new Blob([text]), "notes.txt");
  return form;
};

const fileIn = async (tenant: Tenant, text = "one") => {
  const made = await tenant.console("POST", "/v1/files", formWith(text));
  return { file_id: (made as { id: string }).id };
};

const toolFileIn = async ({ world, organizationId, console }: Tenant) => {
  const me = (await console("GET", "/console/api/me")) as { workspaces: { id: string }[] };
  const { id } = await storeToolFile(world, {
    organizationId,
    workspaceId: me.workspaces[0]?.id ?? "",
    sessionId: "sesn_1",
    filename: "plot.txt",
    mimeType: "text/plain",
    content: Readable.from([Buffer.from("one")]),
  });
  return { file_id: id };
};

let made = 0;

const modelIn = async (tenant: Tenant) => {
  const id = `made-${++made}`;
  await tenant.console("POST", "/console/api/models", { id, upstream: "simulator" });
  return id;
};

const upstreamIn = async (tenant: Tenant) => {
  const name = `made-${++made}`;
  await tenant.console("POST", "/console/api/upstreams", { name, kind: "simulator" });
  return name;
};

const limitedWorkspaceIn = async (tenant: Tenant) => {
  const me = (await tenant.console("GET", "/console/api/me")) as { workspaces: { id: string }[] };
  const workspace_id = me.workspaces[0]?.id ?? "";
  const scope = { type: "workspace", workspace_id };
  await tenant.console("POST", "/console/api/spend_limits", { scope, amount: "100000000" });
  return workspace_id;
};

const question = {
  model: "sim-small",
  max_tokens: 8,
  messages: [{ role: "user", content: "[[tokens 1]]" }],
};

export const fixtures: Readonly<Record<string, Fixture>> = {
  ...agentFixtures,
  ...groupFixtures,
  ...authorizationFixtures,
  ...tokenFixtures,
  ...federationFixtures,
  ...environmentFixtures,
  ...deploymentFixtures,
  ...skillFixtures,
  ...identityProviderFixtures,
  ...memberFixtures,
  ...limitFixtures,
  ...reportFixtures,
  ...searchFixtures,
  ...sessionFixtures,
  ...signOnFixtures,
  ...vaultFixtures,
  ...promptFixtures,
  ...mcpServerFixtures,
  ...webhookFixtures,
  ...workspaceFixtures,
  "api_keys.list": { items: twoKeys },
  "api_keys.retrieve": { params: async (tenant) => ({ api_key_id: await keyIn(tenant, "one") }) },
  "api_keys.update": {
    params: async (tenant) => ({ api_key_id: await keyIn(tenant, "one") }),
    body: () => ({ name: "renamed" }),
  },
  "console.keys.list": { items: twoKeys },
  "console.keys.create": { body: () => ({ name: "made", kind: "api" }) },
  "console.keys.update": {
    params: async (tenant) => ({ key_id: await keyIn(tenant, "one") }),
    body: () => ({ status: "inactive" }),
  },
  "messages.create": { body: () => question },
  "messages.count_tokens": { body: () => ({ ...question, max_tokens: undefined }) },
  "messages.batches.create": {
    body: () => ({ requests: [{ custom_id: "one", params: question }] }),
  },
  "messages.batches.list": {
    items: async (tenant) => {
      await endedBatchIn(tenant);
      await endedBatchIn(tenant);
    },
  },
  "messages.batches.retrieve": { params: batchOf },
  "messages.batches.results": { params: batchOf },
  "messages.batches.cancel": { params: runningBatchIn },
  "messages.batches.delete": { params: batchOf },
  "console.batches.results": {
    params: batchOf,
    items: async () => {},
  },
  "console.batches.totals": { query: "ids[]=msgbatch_0" },
  "memory_stores.create": { body: () => ({ name: "notes" }) },
  "memory_stores.list": { items: twoStores },
  "memory_stores.retrieve": { params: storeIn },
  "memory_stores.update": { params: storeIn, body: () => ({ name: "more notes" }) },
  "memory_stores.archive": { params: storeIn },
  "memory_stores.delete": { params: storeIn },
  "memory_stores.export": { params: storeIn },
  "memory_stores.import": { elsewhere: "tests/rules/memory-transfer.test.ts [MEM41]" },
  "memory_stores.memories.create": {
    params: storeIn,
    body: () => ({ path: "/a", content: "a word" }),
  },
  "memory_stores.memories.list": {
    params: (tenant) => storeOf(tenant, threeMemories),
    items: async () => {},
  },
  "memory_stores.memories.retrieve": { params: (tenant) => memoriesIn(tenant, ["/a"]) },
  "memory_stores.memories.update": {
    params: (tenant) => memoriesIn(tenant, ["/a"]),
    body: () => ({ content: "another word" }),
  },
  "memory_stores.memories.delete": { params: (tenant) => memoriesIn(tenant, ["/a"]) },
  "memory_stores.memory_versions.list": {
    params: (tenant) => storeOf(tenant, threeMemories),
    items: async () => {},
  },
  "memory_stores.memory_versions.retrieve": { params: oldVersionIn },
  "memory_stores.memory_versions.redact": { params: oldVersionIn, body: () => ({}) },
  "console.memory.search": {
    query: "q=word",
    items: async (tenant) => void (await memoriesIn(tenant, threeMemories)),
  },
  "files.upload": { body: () => formWith("one") },
  "files.list": {
    items: async (tenant) => {
      await fileIn(tenant, "one");
      await fileIn(tenant, "two");
    },
  },
  "files.retrieve_metadata": { params: (tenant) => fileIn(tenant) },
  "files.download": { params: toolFileIn },
  "files.delete": { params: (tenant) => fileIn(tenant) },
  "console.files.content": { params: (tenant) => fileIn(tenant) },
  "models.list": { shared: true, items: async () => {} },
  "models.retrieve": { shared: true, params: async () => ({ model_id: "sim-large" }) },
  "console.models.set": { body: () => ({ id: `made-${++made}`, upstream: "simulator" }) },
  "console.models.delete": {
    shared: true,
    params: async (tenant) => ({ model_id: await modelIn(tenant) }),
    status: 204,
  },
  "console.upstreams.set": { body: () => ({ name: `made-${++made}`, kind: "simulator" }) },
  "console.upstreams.test": { body: () => ({ name: "simulator" }) },
  "console.upstreams.delete": {
    shared: true,
    params: async (tenant) => ({ upstream_name: await upstreamIn(tenant) }),
    status: 204,
  },
  "console.rate_limits.set": {
    body: () => ({
      group: "sim-small",
      limits: [{ type: "requests_per_minute", value: 1_000_000 }],
    }),
  },
  "console.spend_limits.set": {
    body: () => ({ scope: { type: "organization" }, amount: "100000000" }),
  },
  "console.spend_limits.delete": {
    params: async (tenant) => ({ scope_id: await limitedWorkspaceIn(tenant) }),
    status: 204,
  },
  "console.audit.list": { items: twoKeys },
  ...auditFixtures,
  ...requestFixtures,
  "console.sign_in": {
    body: ({ email, password, organizationId }) => ({
      email,
      password,
      organization_id: organizationId,
    }),
  },
  "console.sign_out": { ownSignIn: true, status: 204 },
  "console.sign_out_everywhere": { ownSignIn: true },
  "console.sign_ins.delete": {
    params: async (tenant) => ({ sign_in_id: await tenant.anotherSignIn() }),
  },
  "pages.reference_asset": {
    shared: true,
    params: async (tenant) => {
      const page = String(await tenant.console("GET", "/docs"));
      return { file: /\/docs\/assets\/([\w.-]+)/.exec(page)?.[1] ?? "" };
    },
  },
  "console.password": { body: () => ({}), elsewhere: "tests/rules/identity.test.ts [IDN9]" },
  "console.setup_link": { body: () => ({}), elsewhere: "tests/rules/identity.test.ts [IDN3]" },
  "console.setup": { body: () => ({}), elsewhere: "tests/rules/identity.test.ts [IDN3]" },
};

// What the tests of the search share: one object of each type, and what a caller finds.
import assert from "node:assert/strict";
import type { FoundObject } from "../../server/search/schema.ts";
import type { Ask, House, Tenant } from "../house.ts";

export type { FoundObject };

const newer = { "vendor-version": "2026-10-21" };
const betas = "managed-agents-2026-04-01,webhooks-2026-10-07";

export interface Page {
  data: FoundObject[];
  next_page: string | null;
}

export function searchOf(house: House) {
  const page = async (asking: Ask, query: string, more = ""): Promise<Page> => {
    const path = asking.cookie === undefined ? "/v1/organizations/objects" : "/console/api/objects";
    return pageAt(path, asking, query, more);
  };
  const pageAt = async (path: string, asking: Ask, query: string, more = ""): Promise<Page> => {
    const address = `${path}?query=${encodeURIComponent(query)}${more}`;
    const { status, body } = await house.ask("GET", address, asking);
    assert.equal(status, 200, `${address}: ${JSON.stringify(body)}`);
    return body as Page;
  };
  return {
    page,
    pageAt,
    /** All that is found, best first. */
    find: async (asking: Ask, query: string) => (await page(asking, query, "&limit=100")).data,
    names: async (asking: Ask, query: string) =>
      (await page(asking, query, "&limit=100")).data.map(({ name }) => name),
    ids: async (asking: Ask, query: string) =>
      (await page(asking, query, "&limit=100")).data.map(({ id }) => id),
  };
}

/** Makes things in the name of a tenant's owner, in a workspace where one is named. */
export const makerOf =
  (house: House, tenant: Pick<Tenant, "cookie">, workspace?: string) =>
  async (path: string, body: object): Promise<{ id: string } & Record<string, unknown>> => {
    const isMemory = path.startsWith("/v1/memory_stores");
    const headers = {
      ...newer,
      "vendor-beta": isMemory ? "agent-memory-2026-07-22" : betas,
      ...(workspace !== undefined && { "anthropic-workspace-id": workspace }),
    };
    const { cookie } = tenant;
    const { status, body: made } = await house.ask("POST", path, { cookie, headers, body });
    assert.equal(status, 200, `${path}: ${JSON.stringify(made)}`);
    return made as { id: string } & Record<string, unknown>;
  };

const hello = [{ type: "user.message", content: [{ type: "text", text: "Write." }] }];

/** One object of each type that a platform organization has in a workspace; `word` is in every name. */
export async function furnish(house: House, tenant: Tenant, word: string, workspace?: string) {
  const make = makerOf(house, tenant, workspace);
  const agent = await make("/v1/agents", { name: `${word} agent`, model: "sim-large" });
  const environment = await make("/v1/environments", {
    name: `${word} environment`,
    config: { type: "self_hosted" },
  });
  const place = { agent: agent.id, environment_id: environment.id };
  const store = await make("/v1/memory_stores", { name: `${word} store` });
  const memory = await make(`/v1/memory_stores/${store.id}/memories`, {
    path: `/${word}/memory.md`,
    content: "text",
  });
  const request = { model: "sim-small", max_tokens: 8, messages: [{ role: "user", content: "x" }] };
  const vault = await make("/v1/vaults", { display_name: `${word} vault` });
  return {
    agent: agent.id,
    environment: environment.id,
    memory_store: store.id,
    memory: memory.id,
    memory_version: memory["memory_version_id"] as string,
    vault: vault.id,
    session: (await make("/v1/sessions", { ...place, title: `${word} session` })).id,
    deployment: (
      await make("/v1/deployments", {
        name: `${word} deployment`,
        ...place,
        initial_events: hello,
      })
    ).id,
    mcp_server: (
      await make("/v1/mcp_servers", { name: `${word}-mcp`, url: "https://mcp.example/" })
    ).id,
    message_batch: (
      await make("/v1/messages/batches", { requests: [{ custom_id: "one", params: request }] })
    ).id,
    file: await fileIn(house, tenant, `${word}-file.txt`, workspace),
  };
}

export async function fileIn(
  house: House,
  { cookie }: Pick<Tenant, "cookie">,
  filename: string,
  workspace?: string,
): Promise<string> {
  const form = new FormData();
  form.append("file", new Blob(["text"]), filename);
  const response = await fetch(`${house.url}/v1/files`, {
    method: "POST",
    headers: {
      cookie,
      origin: house.url,
      ...(workspace !== undefined && { "anthropic-workspace-id": workspace }),
    },
    body: form,
  });
  const made = (await response.json()) as { id: string };
  assert.equal(response.status, 200, JSON.stringify(made));
  return made.id;
}

/** Objects of the organization. */
export async function furnishOrganization(house: House, tenant: Tenant, word: string) {
  const make = makerOf(house, tenant);
  return {
    api_key: (await make("/console/api/keys", { name: `${word} key`, kind: "api" })).id,
    workspace: (await make("/console/api/workspaces", { name: `${word} workspace` })).id,
    webhook_endpoint: (
      await make("/v1/organizations/webhooks", {
        name: `${word} webhook`,
        url: "https://hooks.example/",
        enabled_events: ["external_key.failed"],
      })
    ).id,
    service_account: (await make("/v1/organizations/service_accounts", { name: `${word}-account` }))
      .id,
  };
}

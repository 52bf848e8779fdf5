// The official clients of MCP are told of changes: of both kits, by `listen` and by subscriptions of a session.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { openHouse, type House } from "../house.ts";
import { until } from "../rules/support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const options = () => ({
  requestInit: { headers: { authorization: `Bearer ${house.organizations.platform.api_key}` } },
});
const address = () => new URL("/mcp", house.url);
const me = { name: "tests", version: "1" };

async function storeNamed(name: string): Promise<string> {
  const { body } = await house.ask("POST", "/v1/memory_stores", {
    key: house.organizations.platform.api_key,
    headers: { "anthropic-beta": "agent-memory-2026-07-22" },
    body: { name },
  });
  return String(body["id"]);
}

const writing = (memory_store_id: string, content: string) => ({
  name: "write_memory",
  arguments: { memory_store_id, path: "/a.md", content },
});

for (const mode of [{ pin: "2026-07-28" }, "auto"] as const)
  test(`the newer kit (${JSON.stringify(mode)}) listens`, async () => {
    const client = new Client(me, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(address(), options()));
    const store = await storeNamed("Listened to");
    const uri = `plinth://memory_stores/${store}/memories/a.md`;
    const [updated, lists]: [string[], string[]] = [[], []];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updated.push(params.uri);
    });
    client.setNotificationHandler("notifications/resources/list_changed", () => {
      lists.push("resources");
    });
    const listening = await client.listen({
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uri, "plinth://files/file_nothing"],
    });
    assert.deepEqual(listening.honoredFilter, {
      resourcesListChanged: true,
      resourceSubscriptions: [uri],
    });
    await client.callTool(writing(store, "one"));
    await until(async () => updated.length === 1 && lists.length === 1, "both notices");
    assert.deepEqual(updated, [uri]);
    await listening.close();
    assert.equal(await listening.closed, "local");
    await client.close();
  });

/** The stream of a client opens when the client likes. */
async function writeUntilTold(
  client: Pick<Client, "callTool"> | OldClient,
  store: string,
  updated: readonly string[],
): Promise<void> {
  let written = 0;
  await until(async () => {
    await client.callTool(writing(store, `${++written}`));
    return updated.length > 0;
  }, "a notice");
}

test("the newer kit, at the older revision, subscribes", async () => {
  const client = new Client(me, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(address(), options()));
  const store = await storeNamed("Subscribed to");
  const uri = `plinth://memory_stores/${store}/memories/a.md`;
  const updated: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    updated.push(params.uri);
  });
  await client.subscribeResource({ uri });
  await writeUntilTold(client, store, updated);
  await client.unsubscribeResource({ uri });
  assert.equal(updated[0], uri);
  await client.close();
});

test("the older kit subscribes", async () => {
  const client = new OldClient(me);
  await client.connect(new OldTransport(address(), options()));
  const store = await storeNamed("Subscribed to of old");
  const uri = `plinth://memory_stores/${store}/memories/a.md`;
  const updated: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri);
  });
  await client.subscribeResource({ uri });
  await writeUntilTold(client, store, updated);
  assert.equal(updated[0], uri);
  await client.close();
});

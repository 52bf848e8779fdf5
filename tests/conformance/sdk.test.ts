// The unchanged official client against the house.
import assert from "node:assert/strict";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House, type Tenant } from "../house.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

interface Seen {
  path: string;
  headers: Headers;
}

/** The client with its own transport, which notes what goes out. */
function client(
  options: ConstructorParameters<typeof Anthropic>[0] = { apiKey: platform.admin_api_key },
): { client: Anthropic; seen: Seen[] } {
  const seen: Seen[] = [];
  const noting: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    seen.push({ path: url.pathname + url.search, headers: new Headers(init?.headers) });
    return fetch(input, init);
  };
  return { client: new Anthropic({ baseURL: house.url, fetch: noting, ...options }), seen };
}

async function failing<E extends abstract new (...from: never[]) => unknown>(
  kind: E,
  work: PromiseLike<unknown>,
): Promise<InstanceType<E>> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof kind, `${String(error)} is no ${kind.name}`);
    return error as InstanceType<E>;
  }
  return assert.fail(`no ${kind.name} was thrown`);
}

async function makeKeys(tenant: Tenant, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const { status, body } = await house.ask("POST", "/console/api/keys", {
      cookie: tenant.cookie,
      body: { name: `Key ${number}`, kind: "api" },
    });
    assert.equal(status, 200);
    ids.push(body.id);
  }
  return ids;
}

/** General availability and beta: the same calls on the same paths. */
const namespaces = {
  "client.organization": ({ organization }: Anthropic) => organization,
  "client.beta.organization": ({ beta }: Anthropic) => beta.organization,
} as const;

for (const [name, of] of Object.entries(namespaces)) {
  test(`${name}.retrieve() with an API key and with a token`, async () => {
    const expected = { id: platform.organization_id, name: "platform of the house" };
    for (const credential of [
      { apiKey: platform.admin_api_key, authToken: null },
      { authToken: platform.oauth_access_token, apiKey: null },
    ]) {
      const { client: anthropic, seen } = client(credential);
      const organization = await of(anthropic).retrieve();
      assert.deepEqual(
        { id: organization.id, name: organization.name, type: organization.type },
        { ...expected, type: "organization" },
      );
      assert.match(String(organization._request_id), /^req_/);
      assert.equal(seen[0]?.path, "/v1/organizations/me");
      assert.equal(seen[0]?.headers.get("anthropic-version"), "2026-10-21");
      const secret = credential.apiKey ?? credential.authToken;
      assert.equal(seen[0]?.headers.get("authorization"), `Bearer ${secret}`);
    }
  });

  test(`${name}.apiKeys.list() runs through every page by itself`, async () => {
    const tenant = house.organizations.other;
    const { client: anthropic, seen } = client({ apiKey: tenant.admin_api_key });
    const before: string[] = [];
    for await (const key of of(anthropic).apiKeys.list({ limit: 1000 })) before.push(key.id);
    const made = await makeKeys(tenant, 45 - before.length);
    seen.length = 0;
    const listed: string[] = [];
    for await (const key of of(anthropic).apiKeys.list({ limit: 20 })) listed.push(key.id);
    assert.deepEqual(listed, [...made.toReversed(), ...before]);
    assert.equal(listed.length, 45);
    assert.equal(seen.length, 3);
    // And back again: pages before a key stand in the list's own order.
    const last = listed.at(-1) ?? "";
    const backwards: string[][] = [];
    for await (const page of (
      await of(anthropic).apiKeys.list({ limit: 20, before_id: last })
    ).iterPages())
      backwards.push(page.data.map(({ id }) => id));
    assert.deepEqual(backwards.toReversed().flat(), listed.slice(0, -1));
    for (const id of made) await of(anthropic).apiKeys.update(id, { status: "archived" });
    const active: string[] = [];
    for await (const key of of(anthropic).apiKeys.list({ status: "active" })) active.push(key.id);
    for (const id of made) assert.ok(!active.includes(id));
    // Archived ones stay on the list: what comes after counts from a clean tenant again.
    await house.world.db.tx((tx) =>
      tx.query({ text: "delete from keys where id = any($1)", values: [made] }),
    );
  });

  test(`${name}.apiKeys retrieves and updates a key`, async () => {
    const { client: anthropic } = client();
    const { apiKeys } = of(anthropic);
    const [id = ""] = await makeKeys(platform, 1);
    const key = await apiKeys.retrieve(id);
    assert.equal(key.type, "api_key");
    assert.equal(key.status, "active");
    assert.equal(key.created_by?.type, "user");
    assert.deepEqual(key.scope, { type: "workspace", workspace_id: platform.workspace_id });
    assert.deepEqual([key.expires_at, key.principal], [null, null]);
    assert.ok(Math.abs(Date.parse(key.created_at) - Date.now()) < 600_000);
    const renamed = await apiKeys.update(id, { name: "Renamed", status: null });
    assert.deepEqual([renamed.name, renamed.status], ["Renamed", "active"]);
    const inactive = await apiKeys.update(id, { name: null, status: "inactive" });
    assert.deepEqual([inactive.name, inactive.status], ["Renamed", "inactive"]);
    assert.deepEqual(await apiKeys.retrieve(id), inactive);
  });

  test(`${name}.apiKeys.list() takes the filters of its types`, async () => {
    const { client: anthropic } = client();
    const { apiKeys } = of(anthropic);
    const { workspace_id } = platform;
    const inWorkspace = await apiKeys.list({ workspace_id, limit: 1000 });
    assert.ok(inWorkspace.data.length > 0);
    assert.ok(
      inWorkspace.data.every(
        ({ scope }) => scope.type === "workspace" && scope.workspace_id === workspace_id,
      ),
    );
    const nothing = { status: null, workspace_id: null, created_by_user_id: null };
    const unfiltered = await apiKeys.list({ ...nothing, limit: 1000 });
    assert.ok(unfiltered.data.length > inWorkspace.data.length);
    const [first] = inWorkspace.data;
    const created_by_user_id = first?.created_by?.id ?? "";
    const byMe = await apiKeys.list({ created_by_user_id, limit: 1000 });
    assert.ok(byMe.data.every(({ created_by }) => created_by?.id === created_by_user_id));
    assert.deepEqual((await apiKeys.list({ created_by_user_id: "user_none" })).data, []);
  });
}

test("errors arrive as the client's own classes, with the request id", async () => {
  const { client: anthropic } = client();
  const { client: stranger } = client({ apiKey: "sk-plinth-admin-nobody" });
  const { client: workspaceKey } = client({ apiKey: platform.api_key });
  const [id = ""] = await makeKeys(platform, 1);
  const errors = [
    await failing(Anthropic.AuthenticationError, stranger.organization.retrieve()),
    await failing(Anthropic.PermissionDeniedError, workspaceKey.organization.retrieve()),
    await failing(Anthropic.NotFoundError, anthropic.organization.apiKeys.retrieve("apikey_none")),
    await failing(
      Anthropic.BadRequestError,
      anthropic.organization.apiKeys.update(id, { name: "" }),
    ),
  ];
  const types = ["authentication", "permission", "not_found", "invalid_request"];
  errors.forEach((error, index) => {
    assert.match(String(error.requestID), /^req_\w+$/);
    assert.equal(error.type, `${types[index]}_error`);
    assert.ok((error.apiMessage ?? "").length > 20);
  });
  // A key of a workspace says which, also where it may do nothing.
  assert.equal(errors[1]?.workspaceID, platform.workspace_id);
});

test("another organization's key is not found, as one that never was", async () => {
  const [id = ""] = await makeKeys(house.organizations.other, 1);
  const { client: anthropic } = client();
  const { apiKeys } = anthropic.organization;
  const error = await failing(Anthropic.NotFoundError, apiKeys.retrieve(id));
  assert.equal(error.errorCode, null);
  await failing(Anthropic.NotFoundError, apiKeys.update(id, { status: "archived" }));
});

test("an organization of another type says so in a code", async () => {
  const { client: anthropic } = client({ apiKey: house.organizations.cloud.admin_api_key });
  const error = await failing(Anthropic.NotFoundError, anthropic.organization.retrieve());
  assert.equal(error.errorCode, "organization_type_not_supported");
});

test("a 503 is asked again after its retry-after, and no error of the caller's is", async () => {
  // In front of the house: a door that is shut twice, as while a server restarts.
  let asked = 0;
  const door = createServer((request, response) => {
    asked += 1;
    if (asked <= 2) {
      response.writeHead(503, { "retry-after-ms": "10", "content-type": "application/json" });
      response.end('{"type":"error","error":{"type":"api_error","message":"Away."}}');
      return;
    }
    void passOn(request, response);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");
  try {
    const { port } = door.address() as { port: number };
    const baseURL = `http://127.0.0.1:${port}`;
    const { client: anthropic } = client({ apiKey: platform.admin_api_key, baseURL });
    assert.equal((await anthropic.organization.retrieve()).id, platform.organization_id);
    assert.equal(asked, 3);
  } finally {
    door.closeAllConnections();
    door.close();
  }
  const { client: anthropic, seen } = client();
  await failing(Anthropic.NotFoundError, anthropic.organization.apiKeys.retrieve("apikey_none"));
  assert.equal(seen.length, 1);
});

async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const reply = await fetch(house.url + (request.url ?? ""), {
    headers: forwarded(request.headers),
  });
  response.writeHead(reply.status, { "content-type": "application/json" });
  response.end(await reply.text());
}

const forwarded = ({ authorization = "", "anthropic-version": version }: IncomingHttpHeaders) => ({
  authorization,
  "anthropic-version": String(version),
});

test("a draining server answers 503, and the client comes back when told to", async () => {
  house.world.server.isDraining = true;
  const { client: anthropic } = client({ apiKey: platform.admin_api_key, maxRetries: 0 });
  try {
    const error = await failing(Anthropic.InternalServerError, anthropic.get("/readyz"));
    assert.equal(error.status, 503);
    assert.equal(error.headers?.get("retry-after"), "5");
  } finally {
    house.world.server.isDraining = false;
    house.expectErrors();
  }
});

test("the older dialect by plain HTTP, in the vendor's and in the neutral spelling", async () => {
  const key = platform.admin_api_key;
  for (const headers of [
    { "vendor-version": "2023-06-01" },
    { "anthropic-version": "2023-06-01" },
    { "vendor-version": "2023-06-01", "vendor-beta": "something-2020-01-01, other" },
    { "vendor-version": "2023-06-01", "anthropic-version": "2026-10-21" },
    {},
  ] as Record<string, string>[]) {
    const { status, body } = await house.ask("GET", "/v1/organizations/me", { key, headers });
    assert.equal(status, 200, JSON.stringify(headers));
    assert.equal(body.id, platform.organization_id);
    const listed = await house.ask("GET", "/v1/organizations/api_keys?limit=1", { key, headers });
    assert.deepEqual(Object.keys(listed.body), ["data", "has_more", "first_id", "last_id"]);
  }
  const headers = { "vendor-version": "1999-01-01" };
  const refused = await house.ask("GET", "/v1/organizations/me", { key, headers });
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /vendor-version.*2023-06-01/);
});

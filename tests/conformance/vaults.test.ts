// Vaults and credentials as the unchanged client calls them: every method, pages, and error classes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House } from "../house.ts";
import { localNetwork } from "../rules/federation-house.ts";
import { openProvider } from "../rules/vaults-house.ts";
import { failing, listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: localNetwork });
});
after(() => house[Symbol.asyncDispose]());

const connect = () => listeningClient(house, { maxRetries: 2 });

test("vaults: create, retrieve, update, list, archive, delete", async () => {
  const { client, seen } = connect();
  const { vaults } = client.beta;
  const made = await vaults.create({ display_name: "First", metadata: { team: "red" } });
  assert.match(made.id, /^vlt_/);
  assert.deepEqual([made.type, made.archived_at], ["vault", null]);
  assert.deepEqual(await vaults.retrieve(made.id), made);
  const metadata = { team: null, year: "2026" };
  const changed = await vaults.update(made.id, { display_name: "Second", metadata });
  assert.deepEqual([changed.display_name, changed.metadata], ["Second", { year: "2026" }]);
  for (const display_name of ["a", "b", "c"]) await vaults.create({ display_name });
  assert.notEqual((await vaults.archive(made.id)).archived_at, null);
  const names = async (include_archived: boolean) => {
    const all: string[] = [];
    for await (const { display_name } of vaults.list({ limit: 2, include_archived }))
      all.push(display_name);
    return all;
  };
  assert.deepEqual(await names(false), ["c", "b", "a"]);
  assert.deepEqual(await names(true), ["c", "b", "a", "Second"]);
  assert.deepEqual(await vaults.delete(made.id), { id: made.id, type: "vault_deleted" });
  await failing(Anthropic.NotFoundError, vaults.retrieve(made.id));
  for (const { headers } of seen)
    assert.equal(headers.get("anthropic-beta"), "managed-agents-2026-04-01");
});

test("credentials: every method, and a conflict that is asked once", async () => {
  await using provider = await openProvider();
  const { client, seen } = connect();
  const { vaults } = client.beta;
  const { credentials } = vaults;
  const { id: vault_id } = await vaults.create({ display_name: "Credentials" });
  const refresh = {
    client_id: "client",
    refresh_token: provider.refreshToken,
    token_endpoint: `${provider.url}/token`,
    token_endpoint_auth: { type: "client_secret_basic" as const, client_secret: "hidden" },
  };
  const auth = {
    type: "mcp_oauth" as const,
    access_token: "stale",
    mcp_server_url: `${provider.url}/mcp`,
    refresh,
  };
  const made = await credentials.create(vault_id, { auth, display_name: "Wiki" });
  assert.deepEqual(made.auth, {
    type: "mcp_oauth",
    mcp_server_url: auth.mcp_server_url,
    expires_at: null,
    refresh: {
      client_id: "client",
      token_endpoint: refresh.token_endpoint,
      token_endpoint_auth: { type: "client_secret_basic" },
      resource: null,
      scope: null,
    },
  });
  assert.deepEqual(await credentials.retrieve(made.id, { vault_id }), made);
  const valid = await credentials.mcpOAuthValidate(made.id, { vault_id });
  assert.deepEqual(
    [valid.status, valid.has_refresh_token, valid.mcp_probe, valid.refresh?.status],
    ["valid", true, null, "succeeded"],
  );
  const scope = { type: "mcp_oauth" as const, refresh: { scope: "read" } };
  const changed = await credentials.update(made.id, { vault_id, auth: scope, display_name: null });
  assert.ok(changed.auth.type === "mcp_oauth");
  assert.deepEqual([changed.auth.refresh?.scope, changed.display_name], ["read", null]);
  const before = seen.length;
  await failing(Anthropic.ConflictError, credentials.create(vault_id, { auth }));
  assert.equal(seen.length, before + 1);
  const variable = await credentials.create(vault_id, {
    auth: {
      type: "environment_variable",
      secret_name: "API_KEY",
      secret_value: "hidden",
      networking: { type: "unrestricted" },
    },
  });
  await failing(Anthropic.BadRequestError, credentials.mcpOAuthValidate(variable.id, { vault_id }));
  const listed: string[] = [];
  for await (const { id } of credentials.list(vault_id, { limit: 1 })) listed.push(id);
  assert.deepEqual(listed, [variable.id, made.id]);
  assert.notEqual((await credentials.archive(made.id, { vault_id })).archived_at, null);
  assert.deepEqual(await credentials.delete(made.id, { vault_id }), {
    id: made.id,
    type: "vault_credential_deleted",
  });
  await failing(Anthropic.NotFoundError, credentials.retrieve(made.id, { vault_id }));
});

test("sessions: vault_ids are shown, and do not change", async () => {
  const { client } = connect();
  const { vaults, sessions, agents, environments } = client.beta;
  const vault = await vaults.create({ display_name: "Of a session" });
  const { id: agent } = await agents.create({ name: "Helper", model: "sim-small" });
  const { id: environment_id } = await environments.create({
    name: "lab",
    config: { type: "self_hosted" },
  });
  const vault_ids = [vault.id];
  const session = await sessions.create({ agent, environment_id, vault_ids });
  assert.deepEqual(session.vault_ids, vault_ids);
  await failing(Anthropic.BadRequestError, sessions.update(session.id, { vault_ids: [] }));
  await vaults.archive(vault.id);
  await failing(Anthropic.BadRequestError, sessions.create({ agent, environment_id, vault_ids }));
});

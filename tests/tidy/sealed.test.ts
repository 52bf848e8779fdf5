// What is encrypted is resealed, or leaves with a client: every place that encrypts is known, with its column.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sealedColumns } from "../../server/resealing/module.ts";

const root = join(import.meta.dirname, "../..");

/** Where it lies, by the file that encrypts it; null where a client has it, and it lies nowhere. */
const kept: Record<string, string | readonly string[] | null> = {
  "server/fallbacks/credit/token.ts": null,
  "server/single_sign_on/provider_sign_in/flow.ts": null,
  "server/single_sign_on/connection.ts": "sign_on_connections.client_secret",
  "server/sessions/resources/service.ts": "session_resources.secret",
  "server/sessions/brain/outside/server-calls.ts": "session_question_states.request_state",
  "server/deployments/content.ts": "deployments.tokens",
  "server/models/catalog/service-console.ts": "upstreams.key_sealed",
  "server/members/invites/mail.ts": "jobs.payload",
  "server/operations/installation.ts": "installation.key_check",
  "server/messages/threads/service.ts": "message_thread_turns.content",
  "server/webhooks/deliveries/signature.ts": [
    "webhook_endpoints.signing_secret",
    "webhook_endpoints.replaced_secret",
  ],
  "server/mcp_servers/connect/connect.ts": "mcp_connections.sealed",
  "server/request_bodies/kept/sealed-body.ts": "request_bodies.sealed",
  "server/vaults/credentials/secret.ts": "vault_credentials.secret",
};

test("every place that encrypts says where it lies, and every such column is resealed", () => {
  const encrypting = globSync("server/**/*.ts", { cwd: root }).filter((path) =>
    /\.encrypt\(/.test(readFileSync(join(root, path), "utf8")),
  );
  assert.deepEqual(encrypting.toSorted(), Object.keys(kept).toSorted());
  const places = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  const wanted = Object.values(kept).flatMap((place) => place ?? []);
  assert.deepEqual(places.toSorted(), wanted.toSorted());
});

test("every column that its migration calls sealed or encrypted is resealed", () => {
  const columns = sealedColumns.map(({ column }) => column);
  const called: string[] = [];
  for (const path of globSync("migrations/*.sql", { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    // The comment stands over its column, within a table.
    const found = text.matchAll(
      /^ +-- .*\b(?:Sealed\b|[Ee]ncrypted).*\n +(?:add column )?(\w+) text/gm,
    );
    for (const [, column = ""] of found) called.push(column);
  }
  assert.ok(called.length >= 4, called.join());
  for (const column of called) assert.ok(columns.includes(column), column);
});

test("every column that is resealed is one of the schema", () => {
  const schema = readFileSync(join(root, "tests/golden/schema.golden"), "utf8");
  for (const { table, column } of sealedColumns) {
    const found = new RegExp(`^${table}\\n(?:  .*\\n)*?  ${column} `, "m");
    assert.match(schema, found, `${table}.${column}`);
  }
});

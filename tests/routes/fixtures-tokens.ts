// What the route of tokens takes.
import { createUser } from "../../server/identity/module.ts";
import { operator } from "../../server/audit/module.ts";
import { openFamily } from "../../server/tokens/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let made = 0;

/** A program that signed in, and wants its next token. */
async function refreshIn({ world, organizationId }: Tenant) {
  const context = {
    ...world,
    requestId: "req_fixture",
    notes: {},
    dialect: "2026-10-21" as const,
    betas: new Set<string>(),
    address: "127.0.0.1",
    userAgent: "a test",
    headers: {},
    signal: new AbortController().signal,
  };
  const client_id = "plinth-cli";
  const { refresh_token } = await world.db.tx(async (tx) => {
    const userId = await createUser(tx, world, () => operator, organizationId, {
      email: `program-${++made}@tokens.example`,
      name: "Program",
      role: "user",
      passwordHash: null,
    });
    const scopes = ["workspace:inference"];
    const family = { organizationId, userId, clientId: client_id, scopes, workspaceId: null };
    return openFamily(tx, context, family);
  });
  return { grant_type: "refresh_token", refresh_token, client_id };
}

export const tokenFixtures: Readonly<Record<string, Fixture>> = {
  "oauth.token": { body: refreshIn },
};

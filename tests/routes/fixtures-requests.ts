// What the derived tests want to know of the routes of the request log, and of the bodies beside it.
import { requestLogOf } from "../../server/requests/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { requestBodyFixtures } from "./fixtures-request-bodies.ts";

const credentialId = "apikey_of_the_log";

/** A request that a key of the tenant might have made; its id. */
async function loggedIn({ world, organizationId, type }: Tenant): Promise<string> {
  const requestId = world.ids.next("req_");
  const log = requestLogOf(world);
  log.note({
    requestId,
    notes: {},
    who: {
      kind: "admin_key",
      credentialId,
      organizationId,
      organizationType: type,
      workspaceId: null,
      userId: null,
      name: "a key",
      permissions: new Set(),
    },
    origin: "api",
    operation: "me.retrieve",
    method: "GET",
    path: "/v1/organizations/me",
    status: 200,
    failure: undefined,
    startMs: 0,
    endMs: 1,
  });
  await log.flush();
  return requestId;
}

export const requestFixtures: Readonly<Record<string, Fixture>> = {
  ...requestBodyFixtures,
  "requests.list": {
    // Of no request that another test makes meanwhile.
    query: `credential_id=${credentialId}`,
    items: async (tenant) => {
      await loggedIn(tenant);
      await loggedIn(tenant);
    },
  },
  "requests.retrieve": {
    params: async (tenant) => ({ request_id: await loggedIn(tenant) }),
  },
  "console.requests.export": { query: "format=jsonl" },
};

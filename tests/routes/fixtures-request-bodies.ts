// How to make what the routes of kept bodies name.
import { bodyKeeperOf } from "../../server/request_bodies/module.ts";
import type { Tenant } from "./callers.ts";
import { both, workspaceIn } from "./fixtures-workspaces.ts";
import type { Fixture } from "./fixture.ts";

const settings = { enabled: true, redact: [{ type: "field", field: "metadata.user_id" }] };

/** A request of the tenant whose body was kept; its id. */
async function keptIn(tenant: Tenant): Promise<{ request_id: string }> {
  const { world, organizationId, type } = tenant;
  const { workspace_id: workspaceId } = await workspaceIn(tenant);
  const path = `/console/api/workspaces/${workspaceId}/request_bodies`;
  await tenant.console("POST", path, settings);
  const requestId = world.ids.next("req_");
  const keeper = bodyKeeperOf(world);
  const who = {
    kind: "api_key",
    credentialId: "apikey_of_the_bodies",
    organizationId,
    organizationType: type,
    workspaceId,
    userId: null,
    name: "a key",
    permissions: new Set<string>(),
  } as const;
  const { signal } = new AbortController();
  const notes = {};
  const actor = { ...world, who, requestId, notes, signal, betas: new Set<string>() };
  keeper.begin(actor, Buffer.from('{"model":"sim-small"}'));
  keeper.noteAnswered({
    requestId,
    notes,
    operation: "messages.create",
    method: "POST",
    path: "/v1/messages",
    status: 200,
    seconds: 0,
    who,
    address: "",
    failure: undefined,
  });
  await keeper.flush();
  return { request_id: requestId };
}

export const requestBodyFixtures: Readonly<Record<string, Fixture>> = {
  ...both("workspaces.request_bodies.retrieve", { params: workspaceIn }),
  ...both("workspaces.request_bodies.update", { params: workspaceIn, body: () => settings }),
  ...both("workspaces.request_bodies.delete", { params: workspaceIn }),
  "request_bodies.retrieve": { params: keptIn },
};

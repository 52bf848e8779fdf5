// A caller of services that needs no request: a key of one workspace.
import type { Context, World } from "../../kernel/context.ts";

export function contextOf(world: World, workspaceId: string): Context {
  return {
    ...world,
    requestId: world.ids.next("req_"),
    notes: {},
    dialect: "2026-10-21",
    betas: new Set(),
    address: "",
    userAgent: "",
    headers: {},
    signal: new AbortController().signal,
    who: {
      kind: "api_key",
      credentialId: "apikey_1",
      organizationId: "org_1",
      organizationType: "platform",
      workspaceId,
      userId: null,
      name: "A key",
      permissions: new Set(),
    },
  };
}

// In whose name a session asks its models: its maker's, with what they may use now.
import type { Actor, World } from "../../../kernel/context.ts";
import { modelsOfPerson } from "../../groups/module.ts";
import type { SessionOwner } from "./queries.ts";

export async function actorOf(
  world: World,
  owner: SessionOwner,
  signal: AbortSignal,
): Promise<Actor> {
  const { organizationId, organizationType, workspaceId, credentialId, userId } = owner;
  const { serviceAccountId, keyMakerId } = owner;
  const models = userId === null ? undefined : await modelsOfPerson(world, organizationId, userId);
  return {
    ...world,
    requestId: world.ids.next("req_"),
    betas: new Set(),
    signal,
    who: {
      kind: "api_key",
      credentialId,
      organizationId,
      organizationType,
      workspaceId,
      userId,
      ...(keyMakerId !== null && { keyMakerId }),
      ...(serviceAccountId !== null && { serviceAccountId }),
      ...(models !== undefined && { models }),
      name: "a session",
      permissions: new Set(),
    },
  };
}

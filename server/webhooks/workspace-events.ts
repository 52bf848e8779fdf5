// What happens in a workspace, told to its webhook endpoints: within the transaction of the change, by any noun.
import type { World } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { deliver, type Outgoing } from "./deliveries/deliver.ts";
import type { WorkspaceEventType } from "./event-types.ts";
import { listWantingIn } from "./queries.ts";

/** What it happened to, and what belongs to the type: no other fact leaves the server. */
export interface WorkspaceEvent {
  workspaceId: string;
  type: WorkspaceEventType;
  id: string;
  /** Of a credential. */
  vaultId?: string;
  /** Of a thread of a session, whose id stands in `id`. */
  threadId?: string;
}

type EventWorld = Pick<World, "clock" | "ids" | "hints">;

/**
 * Rules WHK6 and WHK15. One statement, which finds an empty index where the workspace has no endpoint; two more where
 * it has one that wants the type.
 */
export const workspaceEvent = (tx: Tx, world: EventWorld, event: WorkspaceEvent): Promise<void> =>
  workspaceEvents(tx, world, [event]);

/** All that a change leads to, of one workspace or several, in the order in which it happened. */
export async function workspaceEvents(
  tx: Tx,
  world: EventWorld,
  events: readonly WorkspaceEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const unique = <T>(values: readonly T[]) => [...new Set(values)];
  const wanting = await listWantingIn(tx, {
    workspaceIds: unique(events.map(({ workspaceId }) => workspaceId)),
    types: unique(events.map(({ type }) => type)),
  });
  if (wanting.length === 0) return;
  const at = world.clock.now();
  const outgoing = events.flatMap(({ workspaceId, type, id, vaultId, threadId }): Outgoing[] => {
    const endpoints = wanting.filter(
      (each) => each.workspace_id === workspaceId && each.enabled_events.includes(type),
    );
    const organizationId = endpoints[0]?.organization_id;
    if (organizationId === undefined) return [];
    const data = {
      id,
      workspace_id: workspaceId,
      ...(vaultId !== undefined && { vault_id: vaultId }),
      ...(threadId !== undefined && { session_thread_id: threadId }),
    };
    return [{ organizationId, type, data, endpointIds: endpoints.map((each) => each.id), at }];
  });
  await deliver(tx, world, outgoing);
}

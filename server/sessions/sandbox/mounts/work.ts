// What mounts of a session are made with.
import type { World } from "../../../../kernel/context.ts";
import type { MountedSandbox, Notes } from "../../../mounts/module.ts";

export interface MountWork {
  world: World;
  session: { id: string; workspaceId: string };
  sandbox: MountedSandbox;
  notes: Notes;
}

// Files that tools make: they belong to a session, and can be downloaded.
import type { World } from "../../kernel/context.ts";
import type { AuditActor } from "../audit/module.ts";
import { present } from "./present.ts";
import type { FileMetadata } from "./schema.ts";
import { storeFile, type FileOwner } from "./bytes/store.ts";

export interface ToolFile extends FileOwner {
  sessionId: string;
  filename: string;
  /** What the tool says that it is; empty where it says nothing. */
  mimeType: string;
  content: AsyncIterable<Buffer>;
}

export async function storeToolFile(world: World, made: ToolFile): Promise<FileMetadata> {
  const { sessionId, filename, mimeType, content, organizationId, workspaceId } = made;
  const label = {
    filename,
    declaredType: mimeType,
    expiresInSeconds: null,
    downloadable: true,
    scope: { type: "session" as const, id: sessionId },
  };
  const incoming = { organizationId, workspaceId, content, label: () => label };
  return present(await storeFile(world, tool(sessionId), incoming));
}

const tool = (sessionId: string): AuditActor => ({
  type: "system",
  id: sessionId,
  name: "a tool of the session",
  address: "local",
  requestId: null,
});

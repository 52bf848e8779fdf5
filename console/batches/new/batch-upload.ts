// Sends the body of a batch through the client, and tells how much of it is gone.
import { createClient } from "../../../contract/client.ts";
import type { Batch } from "../../kit/server/api.ts";
import { fetchTelling } from "../../kit/server/upload.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";

interface Sending {
  body: Blob;
  workspace: string | undefined;
  signal: AbortSignal;
  onBytes: (bytes: number) => void;
}

export async function sendBatch({ body, workspace, signal, onBytes }: Sending): Promise<Batch> {
  const { messages } = createClient({ baseUrl: "", fetch: fetchTelling(onBytes) });
  return messages.batches.create({ body, headers: inWorkspace(workspace), signal });
}

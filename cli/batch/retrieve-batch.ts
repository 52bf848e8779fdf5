// Reads a batch.
import type { Client } from "../../contract/client.ts";
import type { MessageBatch } from "../../contract/types.ts";

/** In this version of the API counts are live; in the newer one all but `processing` are 0 until the end. */
export const liveCountsHeaders = { "vendor-version": "2023-06-01" };

export const retrieveBatch = (
  client: Client,
  id: string,
  signal?: AbortSignal,
): Promise<MessageBatch> =>
  client.messages.batches.retrieve({
    params: { message_batch_id: id },
    headers: liveCountsHeaders,
    ...(signal && { signal }),
  });

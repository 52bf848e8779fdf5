// Takes in the body of a new batch as it comes: params go to a blob, and only where they stand is remembered.
import type { World } from "../../../kernel/context.ts";
import { makeEnvelopeReader, type ScannedItem } from "./envelope-reader.ts";
import { limits } from "../limits.ts";
import { requestsKey } from "../blob-keys.ts";
import type { NewChunk } from "../queries.ts";

export interface ReceivedBody {
  requests: number;
  bodyBytes: number;
  chunks: readonly NewChunk[];
}

/** Nothing is kept of a body that is refused on the way. */
export async function receiveBody(
  { blobs }: Pick<World, "blobs">,
  batchId: string,
  body: AsyncIterable<Buffer>,
): Promise<ReceivedBody> {
  const cutter = makeCutter(batchId);
  const reader = makeEnvelopeReader();
  let bodyBytes = 0;
  async function* params(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      bodyBytes += chunk.length;
      const { kept, items } = reader.push(chunk);
      for (const item of items) cutter.add(item);
      yield* kept;
    }
    reader.end();
  }
  await blobs.put(requestsKey(batchId), gathered(params()));
  return { requests: reader.requests, bodyBytes, chunks: cutter.end() };
}

/** In larger pieces, which share one buffer: new ones for all of a long body were half of what taking it in cost. */
async function* gathered(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(limits.gatheredBytes);
  let filled = 0;
  for await (const piece of pieces)
    for (let at = 0; at < piece.length;) {
      const copied = piece.copy(buffer, filled, at);
      at += copied;
      filled += copied;
      if (filled < buffer.length) continue;
      yield buffer;
      filled = 0;
    }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** Cuts the requests into what one process takes at a time. */
export function makeCutter(batchId: string) {
  const chunks: NewChunk[] = [];
  let items: ScannedItem[] = [];
  let bytes = 0;
  let firstIndex = 0;
  let start = 0;

  function cut(): void {
    if (items.length === 0) return;
    const faults = items.flatMap(({ fault }, position) => (fault ? [[position, fault]] : []));
    chunks.push({
      id: `${batchId}/${String(chunks.length).padStart(6, "0")}`,
      firstIndex,
      start,
      customIds: items.map(({ customId }) => customId),
      lengths: items.map(({ length }) => length),
      faults: faults.length === 0 ? null : Object.fromEntries(faults),
    });
    firstIndex += items.length;
    start += bytes;
    items = [];
    bytes = 0;
  }

  return {
    add: (item: ScannedItem): void => {
      const isFull =
        items.length === limits.chunkRequestsMax || bytes + item.length > limits.chunkBytesMax;
      if (isFull) cut();
      items.push(item);
      bytes += item.length + 1;
    },
    end: (): readonly NewChunk[] => {
      cut();
      return chunks;
    },
  };
}

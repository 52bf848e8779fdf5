// The results of a batch as bytes from an offset on; a broken connection is resumed where it broke.
import { ApiError, type Client } from "../../contract/client.ts";
import type { Clock } from "../terminal.ts";

export interface Download {
  /** The size of all results, from the first byte on. */
  bytesInAll: number;
  bytes: AsyncGenerator<Buffer, void, undefined>;
}

export interface DownloadOptions {
  clock: Clock;
  id: string;
  /** The first byte to read. */
  from: number;
  signal?: AbortSignal;
}

/** Failures in a row, without a byte in between. */
const breaksMax = 5;
const pauseMs = 500;

/** Undefined where the results have fewer bytes. */
export async function download(
  client: Client,
  options: DownloadOptions,
): Promise<Download | undefined> {
  const first = await ask(client, options, options.from).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 416) return undefined;
    throw error;
  });
  if (first === undefined) return undefined;
  return { bytesInAll: first.bytesInAll, bytes: bytesOf(client, options, first) };
}

interface Part {
  bytesInAll: number;
  /** Bytes before the offset, from an intermediary that ignores ranges. */
  skip: number;
  body: AsyncIterable<Uint8Array>;
}

/** A range is never compressed, so that the received bytes say where to go on. */
async function ask(client: Client, { id, signal }: DownloadOptions, from: number): Promise<Part> {
  const response = await client.messages.batches.results({
    params: { message_batch_id: id },
    headers: { range: `bytes=${from}-` },
    ...(signal && { signal }),
  });
  const { headers, status, body } = response;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "");
  const isPart = status === 206 && range !== null;
  return {
    bytesInAll: isPart ? Number(range[2]) : Number(headers.get("content-length") ?? Number.NaN),
    skip: isPart ? from - Number(range[1]) : from,
    body: body ?? new ReadableStream(),
  };
}

async function* bytesOf(
  client: Client,
  options: DownloadOptions,
  first: Part,
): AsyncGenerator<Buffer, void, undefined> {
  let at = options.from;
  let breaks = 0;
  for (let part: Part | undefined = first; ; part = undefined) {
    try {
      part ??= await ask(client, options, at);
      let { skip } = part;
      for await (const chunk of part.body) {
        const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).subarray(skip);
        skip -= chunk.length - bytes.length;
        at += bytes.length;
        breaks = 0;
        if (bytes.length > 0) yield bytes;
      }
      return;
    } catch (error) {
      // Fetch throws the same error for a broken body as for a missing answer.
      breaks++;
      if (!(error instanceof TypeError) || breaks > breaksMax) throw error;
      await options.clock.sleep(pauseMs * breaks, options.signal);
    }
  }
}

// `plinth batch submit`: a file of requests as one body, sent as it is read.
import { sizeOf } from "../../client/batches/counts.ts";
import { ApiError, type Client } from "../../contract/client.ts";
import type { MessageBatch } from "../../contract/types.ts";
import type { SubmitFlags } from "./options.ts";
import { clientOf, isBrokenConnection, isOtherLength, withServerErrors } from "../server-calls.ts";
import { openSource, type Source } from "../source.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { makeBatchBody, type BatchBody } from "./batch-body.ts";
import { makeProgressBar, makeByteProgress } from "../progress.ts";
import { openRequestFile } from "./source.ts";
import { watchUntilEnd } from "./watch.ts";
import { plural } from "../../client/text/words.ts";
import { nextCommand } from "./format.ts";

export async function submit(terminal: Terminal, file: string, flags: SubmitFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const source = await openSource(terminal, file);
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  let batch: MessageBatch;
  try {
    const upload = await prepare(terminal, source, flags, stopping.signal);
    batch = await withServerErrors(client, () =>
      send(terminal, client, upload, flags, stopping.signal),
    );
  } finally {
    release();
  }
  if (flags.json === true) {
    if (flags.watch !== true) terminal.write(`${JSON.stringify(batch)}\n`);
  } else {
    terminal.write(`${batch.id}\n`);
    if (flags.quiet !== true) terminal.note(`${terminal.dim(submitted(batch, flags))}\n`);
  }
  if (flags.watch === true) await watchUntilEnd(terminal, client, batch.id, flags);
}

function submitted(batch: MessageBatch, flags: SubmitFlags): string {
  const first = `Submitted ${plural(sizeOf(batch), "request")}.`;
  return flags.watch === true
    ? first
    : `${first} Watch them: ${nextCommand(`watch ${batch.id}`, flags)}`;
}

interface Upload {
  name: string;
  body: AsyncIterable<Buffer>;
  /** Undefined for a pipe. */
  bytes: number | undefined;
  lines: BatchBody | undefined;
}

const isQuiet = ({ json, quiet }: SubmitFlags) => json === true || quiet === true;

/** A file of lines is read twice: first to check it and to know the length of the body. */
async function prepare(
  terminal: Terminal,
  source: Source,
  flags: SubmitFlags,
  signal: AbortSignal,
): Promise<Upload> {
  const { name, bytes } = source;
  const opened = await openRequestFile(source);
  if (opened.form === "body") {
    const left = bytes === undefined ? undefined : bytes - opened.markBytes;
    return { name, body: opened.chunks, bytes: left, lines: undefined };
  }
  const options = { name, number: flags.number === true };
  const lines = makeBatchBody(options);
  if (bytes === undefined) return { name, body: lines.body(opened.chunks), bytes, lines };
  const bar = makeProgressBar(terminal, isQuiet(flags));
  let [read, written] = [0, 0];
  async function* readPieces(): AsyncGenerator<Buffer> {
    for await (const chunk of opened.chunks) {
      if (signal.aborted) throw new CliError(nothingSent, exitCodes.interrupted);
      yield chunk;
      read += chunk.length;
      bar.draw(read / (bytes ?? read), `Checking ${name}`);
    }
  }
  try {
    for await (const piece of lines.body(readPieces())) written += piece.length;
  } finally {
    bar.clear();
  }
  const again = await openRequestFile(source);
  return { name, body: makeBatchBody(options).body(again.chunks), bytes: written, lines };
}

const nothingSent = "Stopped. Nothing was submitted.";

async function send(
  terminal: Terminal,
  client: Client,
  { name, body, bytes, lines }: Upload,
  flags: SubmitFlags,
  signal: AbortSignal,
): Promise<MessageBatch> {
  const meter = makeByteProgress(terminal, {
    word: "Sent",
    isQuiet: isQuiet(flags),
    bytesInAll: bytes,
  });
  let [isSent, isOver] = [false, false];
  let fault: unknown;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      let held: Buffer | undefined;
      for await (const piece of body) {
        if (held !== undefined) {
          yield held;
          // Fetch reads on when the connection is gone.
          if (isOver) return;
          meter.add(held.length);
        }
        held = piece;
      }
      // Before the last piece goes out: when the server has it, fetch may not have asked for more yet.
      isSent = true;
      if (held === undefined) return;
      yield held;
      meter.add(held.length);
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  try {
    return await client.messages.batches.create({
      body: ReadableStream.from(counted()),
      ...(bytes !== undefined && { headers: { "content-length": String(bytes) } }),
      signal,
    });
  } catch (error) {
    // Fetch reports a body that could not be read like a broken connection.
    if (fault !== undefined) throw fault;
    if (error instanceof ApiError) throw withLine(error, name, lines);
    throw brokenOff(error, { name, isSent, isStopped: signal.aborted, flags });
  } finally {
    isOver = true;
    meter.end();
  }
}

function withLine(error: ApiError, name: string, lines: BatchBody | undefined): ApiError {
  const line = lines?.lineOf(error.message);
  if (line === undefined) return error;
  return new ApiError(`${error.message} That is line ${line} of ${name}.`, error);
}

interface Break {
  name: string;
  isSent: boolean;
  isStopped: boolean;
  flags: SubmitFlags;
}

/** Once the server has the whole body, this command cannot know whether the batch was made. */
function brokenOff(error: unknown, { name, isSent, isStopped, flags }: Break): unknown {
  const look = `Whether the batch was made shows in: ${nextCommand("list", flags)}`;
  if (isStopped)
    return new CliError(isSent ? `Stopped. ${look}` : nothingSent, exitCodes.interrupted);
  if (isOtherLength(error))
    return new CliError(`${name} changed while it was sent. Nothing was submitted; send it again.`);
  if (!isBrokenConnection(error)) return error;
  const sentence = isSent ? look : "Nothing was submitted; send it again.";
  return new CliError(`The connection broke. ${sentence}`);
}

// `plinth files upload`: files sent one after the other, each as it is read.
import { basename } from "node:path";
import { ApiError, type Client } from "../../contract/client.ts";
import type { FileMetadata } from "../../contract/types.ts";
import type { UploadFlags } from "./options.ts";
import { makeByteProgress } from "../progress.ts";
import { openSource, type Source } from "../source.ts";
import { clientOf, isBrokenConnection, isOtherLength, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { formatDuration, formatSize } from "../format.ts";
import { writeForm } from "./form.ts";
import { nameOf, nextCommand } from "./format.ts";

/** The API's limit. */
const fileBytesMax = 524_288_000;

export async function upload(
  terminal: Terminal,
  files: readonly string[],
  flags: UploadFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  expectNames(files, flags);
  const sources: Source[] = [];
  for (const file of files) sources.push(await openSmallEnough(terminal, file));
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const made: FileMetadata[] = [];
  try {
    for (const source of sources) {
      const file = await withServerErrors(client, () =>
        send(terminal, client, source, flags, stopping.signal),
      );
      made.push(file);
      tell(terminal, file, flags);
    }
  } catch (error) {
    if (!(error instanceof CliError) || files.length === 1) throw error;
    throw new CliError(`${error.message} ${soFar(made, files)}`, error.exitCode);
  } finally {
    release();
    if (flags.json === true) terminal.write(`${JSON.stringify({ uploaded: made })}\n`);
  }
}

function expectNames(files: readonly string[], { name }: UploadFlags): void {
  const pipes = files.filter((file) => file === "-").length;
  if (pipes > 1) throw new CliError("Standard input is one file: name - once.", exitCodes.usage);
  if (pipes === 1 && name === undefined)
    throw new CliError("Say what standard input is called: --name now.txt.", exitCodes.usage);
  if (name !== undefined && files.length > 1)
    throw new CliError("--name is for one file: upload it alone.", exitCodes.usage);
}

async function openSmallEnough(terminal: Terminal, file: string): Promise<Source> {
  const source = await openSource(terminal, file);
  if (source.bytes === undefined || source.bytes <= fileBytesMax) return source;
  throw new CliError(
    `${file} has ${formatCount(source.bytes)} bytes, and a file may have ${formatCount(fileBytesMax)}. Nothing was uploaded.`,
  );
}

function tell(terminal: Terminal, file: FileMetadata, flags: UploadFlags): void {
  if (flags.json === true) return;
  terminal.write(`${file.id}\n`);
  if (flags.quiet === true) return;
  const { expires } = flags;
  const stay = expires === undefined ? "" : `, for ${formatDuration(expires * 1_000)}`;
  const facts = `${file.mime_type}, ${formatSize(file.size_bytes)}${stay}`;
  terminal.note(`${terminal.dim(`Uploaded ${nameOf(file)}: ${facts}.`)}\n`);
}

function soFar(made: readonly FileMetadata[], files: readonly string[]): string {
  const left = files.length - made.length - 1;
  const rest =
    left === 0 ? "" : ` ${plural(left, "file")} after it ${left === 1 ? "was" : "were"} not sent.`;
  return `${formatCount(made.length)} of ${formatCount(files.length)} are uploaded.${rest}`;
}

async function send(
  terminal: Terminal,
  client: Client,
  source: Source,
  flags: UploadFlags,
  signal: AbortSignal,
): Promise<FileMetadata> {
  const { name: file, bytes } = source;
  const isQuiet = flags.json === true || flags.quiet === true;
  const meter = makeByteProgress(terminal, { word: "Sent", isQuiet, bytesInAll: bytes });
  let [isSent, isOver] = [false, false];
  let fault: unknown;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of source.read()) {
        // Fetch reads on when the connection is gone.
        if (isOver) return;
        yield chunk;
        meter.add(chunk.length);
      }
      isSent = true;
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  const { body, headers } = writeForm({
    filename: flags.name ?? basename(file),
    type: flags.type ?? "application/octet-stream",
    fields: flags.expires === undefined ? {} : { expires_in_seconds: String(flags.expires) },
    bytes,
    content: counted(),
  });
  try {
    return await client.files.upload({ body: ReadableStream.from(body), headers, signal });
  } catch (error) {
    // Fetch reports a body that could not be read like a broken connection.
    if (fault !== undefined) throw fault;
    if (error instanceof ApiError) throw new ApiError(`${file}: ${error.message}`, error);
    throw brokenOff(error, { file, isSent, isStopped: signal.aborted, flags });
  } finally {
    isOver = true;
    meter.end();
  }
}

interface Break {
  file: string;
  isSent: boolean;
  isStopped: boolean;
  flags: UploadFlags;
}

/** Once the server has the whole file, this command cannot know whether it was stored. */
function brokenOff(error: unknown, { file, isSent, isStopped, flags }: Break): unknown {
  const look = `Whether ${file} was uploaded shows in: ${nextCommand("list", flags)}`;
  const sentence = isSent ? look : `${file} was not uploaded.`;
  if (isStopped) return new CliError(`Stopped. ${sentence}`, exitCodes.interrupted);
  if (isOtherLength(error))
    return new CliError(`${file} changed while it was sent, and was not uploaded.`);
  return isBrokenConnection(error) ? new CliError(`The connection broke. ${sentence}`) : error;
}

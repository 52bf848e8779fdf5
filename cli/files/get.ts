// `plinth files get`: the bytes of a file that a tool made.
import { ApiError, type Client } from "../../contract/client.ts";
import type { GetFlags } from "./options.ts";
import { escapeControls } from "../print-answer.ts";
import { makeByteProgress } from "../progress.ts";
import { saveFile } from "../save.ts";
import { clientOf, consoleAddressOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatSize } from "../format.ts";
import { nextCommand } from "./format.ts";

export async function get(terminal: Terminal, id: string, flags: GetFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const out = flags.out === "-" ? undefined : flags.out;
  if (out === undefined && flags.json === true)
    throw new CliError("Standard output has the file: with --json, say --out.", exitCodes.usage);
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  try {
    const bytes = await withServerErrors(client, () =>
      fetchInto(terminal, client, { id, out, flags, signal: stopping.signal }),
    );
    if (out === undefined) return;
    if (flags.json === true) terminal.write(`${JSON.stringify({ id, file: out, bytes })}\n`);
    else if (flags.quiet !== true)
      terminal.note(`${terminal.dim(`${formatSize(bytes)} in ${out}.`)}\n`);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    const kept = out === undefined ? "" : ` Nothing was written to ${out}.`;
    throw new CliError(`Stopped.${kept}`, exitCodes.interrupted);
  } finally {
    release();
  }
}

interface Task {
  id: string;
  out: string | undefined;
  flags: GetFlags;
  signal: AbortSignal;
}

async function fetchInto(terminal: Terminal, client: Client, task: Task): Promise<number> {
  const { id, out, flags, signal } = task;
  const { headers, body } = await client.files
    .download({ params: { file_id: id }, signal })
    .catch(async (error: unknown) => {
      throw await withWayOut(error, terminal, task);
    });
  const isForPerson = out === undefined && terminal.isPerson.output;
  if (isForPerson) await expectText(headers, body, { id, flags });
  const bytesInAll = Number(headers.get("content-length"));
  const isQuiet = flags.json === true || flags.quiet === true || out === undefined;
  const meter = makeByteProgress(terminal, { word: "Received", isQuiet, bytesInAll });
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of whole(body ?? [], out)) {
      yield chunk;
      bytes += chunk.length;
      meter.add(chunk.length);
    }
  }
  try {
    if (out !== undefined) await saveFile(counted(), out);
    else if (isForPerson) await read(terminal, counted());
    else for await (const chunk of counted()) await terminal.writeBytes(chunk);
  } finally {
    meter.end();
  }
  return bytes;
}

/** Adds to a refusal where the file can be had. */
async function withWayOut(
  error: unknown,
  terminal: Terminal,
  { id, flags }: Task,
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.code !== "file_not_downloadable") return error;
  const home = await consoleAddressOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const page = `${home}/console/files?file=${id}`;
  return new ApiError(
    `${id} was uploaded, and uploads are not handed out over the API, so that a leaked key gives no documents away. ` +
      `Messages may name it; to download it, open ${page}`,
    error,
  );
}

const textTypes =
  /^text\/|^application\/(?:json|xml|yaml|toml|sql|x-ndjson|javascript)\b|\+(?:json|xml|yaml)\b/;

async function expectText(
  headers: Headers,
  body: ReadableStream | null,
  { id, flags }: Pick<Task, "id" | "flags">,
): Promise<void> {
  const type = headers.get("content-type") ?? "";
  if (textTypes.test(type)) return;
  await body?.cancel();
  throw new CliError(
    `${id} is ${type}, and a terminal shows text only. Pipe it on, or: ${nextCommand(`get ${id} --out FILE`, flags)}`,
    exitCodes.usage,
  );
}

/** A tool may have written it: no control character of it reaches the terminal. */
async function read({ write }: Terminal, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) write(escapeControls(decoder.decode(chunk, { stream: true })));
  write(escapeControls(decoder.decode()));
}

/** A body that breaks is reported as that; before its first byte, as a missing answer. */
async function* whole(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  out: string | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const kept = out === undefined ? "" : ` Nothing was written to ${out}.`;
    throw new CliError(`The connection broke in the middle of the file.${kept} Begin it again.`);
  }
}

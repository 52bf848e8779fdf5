// Prints what was said in a request, where its workspace keeps that.
import type { RequestBody } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import type { LogsFlags } from "./options.ts";

export async function showBody(
  terminal: Terminal,
  id: string | undefined,
  flags: LogsFlags,
): Promise<void> {
  if (id === undefined)
    throw new CliError("--body is for one request: name it by its id.", exitCodes.usage);
  const client = clientOf(terminal, flags.url, ["PLINTH_ADMIN_KEY"]);
  const body = await withServerErrors(client, () =>
    client.request_bodies.retrieve({ params: { request_id: id } }),
  );
  printResult(terminal, flags, body, () => textOf(body));
}

function textOf(body: RequestBody): string {
  if (body.request === null)
    return "It was not kept: too much waited to be written at that time.\n";
  const parts = [
    ["Request", body.request],
    ["Answer", body.answer],
    ["Error", body.error],
  ] as const;
  return parts
    .flatMap(([name, part]) => (part === null ? [] : [`${name}${noteOf(part)}\n${shown(part)}\n`]))
    .join("\n");
}

type Part = NonNullable<RequestBody["request"]>;

const noteOf = ({ is_cut: isCut, text, bytes }: Part): string =>
  isCut && text !== null ? `, cut: it had ${bytes} bytes` : "";

function shown({ text, bytes, is_cut: isCut }: Part): string {
  if (text === null) return `It had ${bytes} bytes, too many to be kept.`;
  return escaped(isCut ? text : JSON.stringify(JSON.parse(text), null, 2));
}

/** Its own lines stay lines. */
const escaped = (text: string): string => text.split("\n").map(escapeControls).join("\n");

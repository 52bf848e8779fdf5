// Bodies that are HTML forms without files: for the few routes whose standard wants them.
import type { IncomingMessage } from "node:http";
import { invalid } from "../../base/failure.ts";
import { decode, readAll } from "./body.ts";

const type = "application/x-www-form-urlencoded";

export const isUrlEncoded = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === type;

/** Each name once: of two values the reader and the writer might mean different ones. */
export async function readUrlEncoded(
  request: IncomingMessage,
  bytesMax: number,
): Promise<Record<string, string>> {
  const text = decode(await readAll(request, bytesMax));
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) {
    const shown = name.slice(0, nameShownMax);
    if (name in fields) throw invalid(`${shown}: stands in the form twice; send it once.`);
    if (value.includes("\0")) throw invalid(`${shown}: holds the character U+0000; leave it out.`);
    fields[name] = value;
  }
  return fields;
}

const nameShownMax = 80;

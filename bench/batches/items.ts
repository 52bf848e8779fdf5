// The items that bench/batches.ts sends: the same in every run, each with a prompt of its own.
import { closeSync, openSync, writeSync } from "node:fs";

export interface Shape {
  count: number;
  /** Of one item in the body of a batch, with its custom_id. */
  bytes: number;
}

const textBytes = 300_000;
const itemsPerWrite = 500;

const words =
  "the ledger of a small town says who paid for the bridge and when it was mended after rain".split(
    " ",
  );

/** Words in an order that does not come back, with the line ends and quotes that people's prompts have. */
function makeText(): string {
  let seed = 1;
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let text = "";
  while (text.length < textBytes) {
    const word = words[next(words.length)] ?? "";
    text += next(40) === 0 ? `"${word}" ` : `${word}${next(15) === 0 ? "\n" : " "}`;
  }
  return text;
}

const text = makeText();
const prefixOf = (index: number) => `{"custom_id":"${idOf(index)}","params":`;

export const idOf = (index: number) => `item-${String(index).padStart(6, "0")}`;

/** What an item asks for, which is also the body of the same message. */
export function paramsOf(index: number, { bytes }: Pick<Shape, "bytes">): string {
  const start = `{"model":"sim-small","max_tokens":1024,"messages":[{"role":"user","content":`;
  const end = "}]}";
  const room = bytes - prefixOf(index).length - start.length - end.length - 1;
  const from = (index * 7_919) % (textBytes / 2);
  // What is escaped takes two bytes; the rest is filled up.
  const prompt = JSON.stringify(
    `${index}: ${text.slice(from, from + Math.floor(room * 0.95) - 16)}`,
  );
  return `${start}${prompt.slice(0, -1)}${".".repeat(room - prompt.length)}"${end}`;
}

export const itemOf = (index: number, shape: Pick<Shape, "bytes">) =>
  `${prefixOf(index)}${paramsOf(index, shape)}}`;

/** The body of a batch; gives its size. */
export function writeBody(path: string, shape: Shape): number {
  const file = openSync(path, "w");
  let bytes = writeSync(file, '{"requests":[');
  for (let from = 0; from < shape.count; from += itemsPerWrite) {
    const some = Array.from({ length: Math.min(itemsPerWrite, shape.count - from) }, (_, at) =>
      itemOf(from + at, shape),
    );
    bytes += writeSync(file, `${from === 0 ? "" : ","}${some.join(",")}`);
  }
  bytes += writeSync(file, "]}");
  closeSync(file);
  return bytes;
}

// The form of a file of requests: lines, or the body of the API.
import { formOf, markBytesOf } from "../../client/batches/lines.ts";
import type { Source } from "../source.ts";
import { CliError } from "../terminal.ts";

export interface RequestFile {
  /** `lines`: one request on each. `body`: the body of the API. */
  form: "lines" | "body";
  /** From the start, without a byte order mark. */
  chunks: AsyncIterable<Buffer>;
  /** The length of that mark. */
  markBytes: number;
}

/** Enough to tell the form. */
const headCharacters = 256;

export async function openRequestFile({ name, read }: Source): Promise<RequestFile> {
  const chunks = read()[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isAll = false;
  while (!isAll && head.toString("latin1").trimStart().length < headCharacters) {
    const { done, value } = await chunks.next();
    if (done === true) isAll = true;
    else head = Buffer.concat([head, value]);
  }
  const markBytes = markBytesOf(head);
  head = head.subarray(markBytes);
  const start = head.toString("latin1").trimStart();
  const form = expectRequests(start, name);
  async function* all(): AsyncGenerator<Buffer> {
    yield head;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done === true) return;
      yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    }
  }
  return { form, chunks: all(), markBytes };
}

function expectRequests(start: string, name: string): RequestFile["form"] {
  const refuse = (sentence: string) => new CliError(`${name} ${sentence}`);
  if (start === "") throw refuse("is empty: it has no requests.");
  if (start.startsWith("\u001f\u008b"))
    throw refuse(`is compressed: gunzip -c ${name} | plinth batch submit -`);
  const form = formOf(start);
  if (form === "list")
    throw refuse(
      'is one array: put each request on its own line, or it all into {"requests": […]}.',
    );
  return form;
}

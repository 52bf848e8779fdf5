// A form with one file, written as it is read: fetch's own does not say how much of it is gone.
import { randomBytes } from "node:crypto";

export interface FormPart {
  filename: string;
  type: string;
  fields: Readonly<Record<string, string>>;
  /** Undefined where only the end will tell. */
  bytes: number | undefined;
  content: AsyncIterable<Uint8Array>;
}

export interface WrittenForm {
  body: AsyncGenerator<Uint8Array>;
  headers: Record<string, string>;
}

export function writeForm({ filename, type, fields, bytes, content }: FormPart): WrittenForm {
  const boundary = `plinth-${randomBytes(18).toString("hex")}`;
  const part = (headers: string) => `--${boundary}\r\n${headers}\r\n\r\n`;
  const named = Object.entries(fields).map(
    ([name, value]) => `${part(`content-disposition: form-data; name="${name}"`)}${value}\r\n`,
  );
  const disposition = `content-disposition: form-data; name="file"; filename="${escaped(filename)}"`;
  const head = Buffer.from(`${named.join("")}${part(`${disposition}\r\ncontent-type: ${type}`)}`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* content;
    yield tail;
  }
  return {
    body: body(),
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...(bytes !== undefined && { "content-length": String(head.length + bytes + tail.length) }),
    },
  };
}

/** As browsers write it. */
const escaped = (filename: string): string =>
  filename.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

// A form with one file, written as it is read: fetch's own form does not report progress.

export interface FormPart {
  filename: string;
  type: string;
  fields: Readonly<Record<string, string>>;
  /** Undefined where the size is known only at the end. */
  bytes: number | undefined;
  content: AsyncIterable<Uint8Array>;
}

export interface WrittenForm {
  body: AsyncGenerator<Uint8Array>;
  headers: Record<string, string>;
}

export function writeForm({ filename, fields, bytes, content, ...part }: FormPart): WrittenForm {
  const type = formType();
  const boundary = type.slice(type.indexOf("boundary=") + "boundary=".length);
  const headed = (headers: string) => `--${boundary}\r\n${headers}\r\n\r\n`;
  const named = Object.entries(fields).map(
    ([name, value]) => `${headed(`content-disposition: form-data; name="${name}"`)}${value}\r\n`,
  );
  const disposition = `content-disposition: form-data; name="file"; filename="${escaped(filename)}"`;
  const head = Buffer.from(
    `${named.join("")}${headed(`${disposition}\r\ncontent-type: ${part.type}`)}`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* content;
    yield tail;
  }
  return {
    body: body(),
    headers: {
      "content-type": type,
      ...(bytes !== undefined && { "content-length": String(head.length + bytes + tail.length) }),
    },
  };
}

/** With a boundary that fetch has chosen, as for any form. */
const formType = (): string => new Response(new FormData()).headers.get("content-type") ?? "";

/** The escaping that browsers use. */
const escaped = (filename: string): string =>
  filename.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

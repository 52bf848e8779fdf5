// What bytes of a page are as text: in the encoding that its first bytes, its header or the page itself names.

const markOf: readonly (readonly [string, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** So much of a page is looked through for what it says of itself, as browsers do. */
const prescanBytes = 1_024;
const metaCharset = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const xmlEncoding = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})/i;

export interface Encoded {
  bytes: Buffer;
  /** Of the header. */
  charset: string | undefined;
  isHtml: boolean;
}

/** Bytes that the encoding does not have become U+FFFD: a page with one wrong byte is still read. */
export function decode({ bytes, charset, isHtml }: Encoded): string {
  const mark = markOf.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0];
  const named = mark ?? known(charset) ?? known(namedIn(bytes, isHtml));
  if (named !== undefined) return new TextDecoder(named).decode(bytes);
  const asUtf8 = isHtml ? validUtf8(bytes) : new TextDecoder().decode(bytes);
  // What old pages mean that say nothing.
  return asUtf8 ?? new TextDecoder("windows-1252").decode(bytes);
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** What it is written in can be read as ASCII, or it could not say so: no UTF-16. */
function namedIn(bytes: Buffer, isHtml: boolean): string | undefined {
  const start = bytes.toString("latin1", 0, prescanBytes);
  const named = xmlEncoding.exec(start)?.[1] ?? (isHtml ? metaCharset.exec(start)?.[1] : undefined);
  return named !== undefined && /^utf-?16/i.test(named) ? "utf-8" : named;
}

function validUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

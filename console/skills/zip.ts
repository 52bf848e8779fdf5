// Reads a zip of this server in a browser: which files it has, and the text of one of them.

export interface Zipped {
  /** Undefined where no path fits. */
  text: string | undefined;
  files: { path: string; bytes: number }[];
}

interface Entry {
  path: string;
  isDeflated: boolean;
  packed: number;
  bytes: number;
  offset: number;
}

const endBytes = 22;
const directorySign = 0x02014b50;

/** The server writes no comment behind the end, and no entry of 4 GiB. */
function entriesOf(view: DataView): Entry[] {
  const end = view.byteLength - endBytes;
  const count = view.getUint16(end + 10, true);
  const entries: Entry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let done = 0; done < count && view.getUint32(at, true) === directorySign; done++) {
    const nameLength = view.getUint16(at + 28, true);
    const name = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength);
    entries.push({
      path: new TextDecoder().decode(name),
      isDeflated: view.getUint16(at + 10, true) === 8,
      packed: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

export async function textIn(zip: Blob, path: RegExp): Promise<Zipped> {
  const view = new DataView(await zip.arrayBuffer());
  const entries = entriesOf(view);
  const found = entries.find((entry) => path.test(entry.path));
  return {
    text: found && (await unpacked(view, found)),
    files: entries.map(({ path, bytes }) => ({ path, bytes })),
  };
}

async function unpacked(view: DataView, { offset, packed, isDeflated }: Entry): Promise<string> {
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const data = new Blob([new Uint8Array(view.buffer as ArrayBuffer, start, packed)]);
  if (!isDeflated) return data.text();
  const stream = data.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}

// Where the output of a call ends: in the stream itself, so that its last bytes and its status come in order. The mark
// is made of bytes that nobody knows before they are asked for.

export interface Frames {
  take(chunk: Buffer): void;
  /** What was written since the last frame is not this one's. */
  expect(mark: string, keep: (bytes: Buffer) => void): Promise<number>;
  /** No more is coming: what is there belongs to the frame that is open. */
  end(): void;
}

const statusBytesMax = 8;

export const markText = (mark: string) => `\0${mark} `;

export function makeFrames(): Frames {
  let open:
    | { mark: Buffer; keep: (bytes: Buffer) => void; resolve: (code: number) => void }
    | undefined;
  let rest: Buffer = Buffer.alloc(0);

  const take = (chunk: Buffer): void => {
    // Between calls, what programs in the background write is nobody's.
    if (open === undefined) return;
    const { mark, keep, resolve } = open;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const at = bytes.indexOf(mark);
    if (at === -1) {
      const sure = bytes.length - beginningOf(mark, bytes);
      if (sure > 0) keep(bytes.subarray(0, sure));
      rest = bytes.subarray(sure);
      return;
    }
    if (at > 0) keep(bytes.subarray(0, at));
    rest = bytes.subarray(at);
    const from = mark.length;
    const end = rest.indexOf(0, from);
    if (end === -1 && rest.length < from + statusBytesMax) return;
    const code = Number(rest.subarray(from, end).toString("latin1"));
    open = undefined;
    rest = Buffer.alloc(0);
    resolve(code);
  };

  return {
    take,
    expect: (mark, keep) =>
      new Promise((resolve) => {
        rest = Buffer.alloc(0);
        open = { mark: Buffer.from(markText(mark), "latin1"), keep, resolve };
      }),
    end: () => {
      if (open !== undefined && rest.length > 0) open.keep(rest);
      rest = Buffer.alloc(0);
      open = undefined;
    },
  };
}

/** How many bytes at the end may be those of a mark that goes on in the next chunk. */
function beginningOf(mark: Buffer, bytes: Buffer): number {
  const first = Math.max(0, bytes.length - mark.length + 1);
  for (let at = bytes.indexOf(0, first); at !== -1; at = bytes.indexOf(0, at + 1)) {
    const rest = bytes.subarray(at);
    if (mark.subarray(0, rest.length).equals(rest)) return rest.length;
  }
  return 0;
}

export type Keeper = ReturnType<typeof makeKeeper>;

/** Both streams share one allowance: the first bytes are kept. */
export function makeKeeper(bytesMax: number) {
  const kept = { output: [] as Buffer[], errors: [] as Buffer[] };
  let left = bytesMax;
  let isTruncated = false;
  const keepIn = (parts: Buffer[]) => (bytes: Buffer) => {
    const taken = bytes.subarray(0, left);
    isTruncated ||= taken.length < bytes.length;
    left -= taken.length;
    // A copy: the chunk around it would live as long as the few bytes of it.
    if (taken.length > 0) parts.push(Buffer.from(taken));
  };
  return {
    keepOutput: keepIn(kept.output),
    keepErrors: keepIn(kept.errors),
    result: () => ({
      output: Buffer.concat(kept.output),
      errors: Buffer.concat(kept.errors),
      isTruncated,
    }),
  };
}

// Bytes that come in pieces, put together.

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Adds up the pieces of something; of what gets longer than `bytesMax` only the length is kept. */
export function makePieces(bytesMax: number) {
  let parts: Uint8Array[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (part: Uint8Array): void => {
      length += part.length;
      if (length > bytesMax) parts = [];
      else if (part.length > 0) parts.push(part);
    },
    /** Undefined where it was too long. */
    take: (): Uint8Array | undefined => {
      const whole = length > bytesMax ? undefined : joined(parts);
      parts = [];
      length = 0;
      return whole;
    },
  };
}

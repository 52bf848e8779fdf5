// What each byte is to a JSON scanner, looked up instead of compared.

const filled = (text: string, value = 1, table = new Uint8Array(256)) => {
  for (const byte of Buffer.from(text)) table[byte] = value;
  return table;
};

export const space = 1;
export const quote = 2;
export const openObject = 3;
export const closeObject = 4;
export const openArray = 5;
export const closeArray = 6;
export const comma = 7;
export const colon = 8;

/** What has a meaning of its own between values; 0 is the rest. */
export const byteKinds = filled(" \t\n\r", space);
for (const [index, mark] of ['"', "{", "}", "[", "]", ",", ":"].entries())
  filled(mark, quote + index, byteKinds);

/** What may stand in a string as it is. Bytes of longer characters are checked elsewhere. */
export const isPlain = new Uint8Array(256).fill(1, 0x20);
filled('"\\', 0, isPlain);

export const isSimpleEscape = filled('"\\/bfnrt');

export const isHex = filled("0123456789abcdefABCDEF");

/** What cannot follow a number or a word without making it another one. */
export const isWordLike = filled(
  "+-.0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
);

/** Parts of numbers and words: from part p, byte b leads to `scalarParts[p * 256 + b]`; 0 is nowhere, and the start. */
const [minus, zero, whole, point, fraction, power, sign, exponent] = [1, 2, 3, 4, 5, 6, 7, 8];
const words = ["true", "false", "null"];
const digits = "0123456789";
const partsMax = 32;

export const scalarParts = new Uint8Array(partsMax * 256);
export const isComplete = new Uint8Array(partsMax);

const leads = (from: number, text: string, to: number) =>
  filled(text, to, scalarParts.subarray(from * 256, from * 256 + 256));

for (const from of [0, minus]) {
  leads(from, digits, whole);
  leads(from, "0", zero);
}
leads(0, "-", minus);
leads(whole, digits, whole);
for (const from of [zero, whole]) leads(from, ".", point);
for (const from of [point, fraction]) leads(from, digits, fraction);
for (const from of [zero, whole, fraction]) leads(from, "eE", power);
leads(power, "+-", sign);
for (const from of [power, sign, exponent]) leads(from, digits, exponent);
for (const part of [zero, whole, fraction, exponent]) isComplete[part] = 1;

let last = exponent;
for (const word of words) {
  let from = 0;
  for (const letter of word) {
    leads(from, letter, ++last);
    from = last;
  }
  isComplete[last] = 1;
}

// What the reader of a batch's body costs: MB/s, against JSON.parse of the whole and a sum of the bytes, in one run.
// `node bench/envelope.ts [megabytes]`; each body is read in chunks of 64 KB, as a socket gives them.
import { makeEnvelopeReader } from "../server/batches/intake/envelope-reader.ts";

const rounds = 5;
const chunkBytes = 64 * 1024;
const bodyBytes = Number(process.argv[2] ?? 64) * 1_000_000;

const sentence = 'He said: "Read the table below, \u201cname by name\u201d, and sum it up."\n\t';
const textOf = (length: number) => sentence.repeat(length / sentence.length + 1).slice(0, length);
const paramsOf = (content: unknown) => ({
  model: "sim-large",
  max_tokens: 1024,
  messages: [{ role: "user", content }],
});
const tiny = Array.from({ length: 500 }, () => [1, 2, [], {}, { a: "b" }, null, -0.5]);

const bodies: readonly [string, unknown][] = [
  ["items of 2 KB, text", paramsOf(textOf(1_800))],
  ["items of 2 KB, no escapes", paramsOf("a".repeat(1_850))],
  ["items of 100 KB, text", paramsOf(textOf(100_000))],
  ["items of 100 KB, base64", paramsOf("QUJD".repeat(25_000))],
  ["items of 300 bytes, text", paramsOf(textOf(150))],
  ["tiny tokens", { tiny }],
];

for (const [name, params] of bodies) {
  const body = bodyOf(JSON.stringify(params));
  const subjects: readonly [string, () => void][] = [
    ["reader", () => read(body)],
    ["JSON.parse", () => void JSON.parse(body.toString("utf8"))],
    ["sum of bytes", () => void sum(body)],
  ];
  const seconds = subjects.map((): number[] => []);
  for (let round = 0; round <= rounds; round++)
    for (const [index, [, run]] of subjects.entries()) {
      const start = process.cpuUsage();
      run();
      const { user } = process.cpuUsage(start);
      if (round > 0) seconds[index]?.push(user / 1e6);
    }
  console.log(`${name}, ${(body.length / 1e6).toFixed(0)} MB, ${rounds} rounds`);
  const [reader = Number.NaN] = seconds.map(median);
  for (const [index, [subject]] of subjects.entries()) {
    const each = median(seconds[index] ?? []);
    const speed = (body.length / 1e6 / each).toFixed(0).padStart(6);
    console.log(
      `  ${subject.padEnd(14)} ${speed} MB/s   reader takes ${(reader / each).toFixed(2)} x`,
    );
  }
}

function bodyOf(params: string): Buffer {
  const items: string[] = [];
  for (let bytes = 0; bytes < bodyBytes && items.length < 100_000; bytes += params.length + 40)
    items.push(`{"custom_id":"request-${items.length}","params":${params}}`);
  return Buffer.from(`{"requests":[${items.join(",")}]}`);
}

function read(body: Buffer): void {
  const reader = makeEnvelopeReader();
  for (let at = 0; at < body.length; at += chunkBytes)
    reader.push(body.subarray(at, at + chunkBytes));
  reader.end();
}

function sum(body: Buffer): number {
  let total = 0;
  for (let at = 0; at < body.length; at++) total = (total + (body[at] ?? 0)) | 0;
  return total;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

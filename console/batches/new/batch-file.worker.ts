// Reads a file beside the page, so that 256 MB freeze nothing; and makes the body of it when it is to be sent.
import { makeFileReader, type Report } from "./batch-file.ts";
import { makeBodyOfLines } from "./batch-lines.ts";

export interface Asked {
  act: "read" | "body";
  file: File;
}

export type Told =
  | { type: "progress"; bytes: number }
  | { type: "report"; report: Report }
  | { type: "body"; body: Blob }
  /** The file cannot be read: it was changed or taken away meanwhile. */
  | { type: "gone" };

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a worker there is no other origin
const tell = (told: Told) => globalThis.postMessage(told);

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const done = data.act === "read" ? read(data.file) : makeBody(data.file);
  done.then(tell, () => tell({ type: "gone" }));
});

async function read(file: File): Promise<Told> {
  const reader = makeFileReader();
  await each(file, (chunk) => reader.push(chunk));
  return { type: "report", report: reader.end() };
}

/** So much is handed to the browser at a time, which keeps large blobs on its disk. */
const partBytes = 8 * 1024 * 1024;

async function makeBody(file: File): Promise<Told> {
  const body = makeBodyOfLines();
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [body.begin];
  let length = 0;
  await each(file, (chunk) => {
    parts.push(...body.of(chunk));
    length += chunk.length;
    if (length < partBytes) return;
    blobs.push(new Blob(parts));
    parts = [];
    length = 0;
  });
  return { type: "body", body: new Blob([...blobs, ...parts, body.end]) };
}

async function each(file: File, take: (chunk: Uint8Array<ArrayBuffer>) => void): Promise<void> {
  const reader = file.stream().getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
    bytes += value.length;
    tell({ type: "progress", bytes });
  }
}

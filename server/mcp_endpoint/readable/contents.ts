// The bytes that routes answer with, held in memory up to a bound.
import { isUtf8 } from "node:buffer";
import { invalid } from "../../../kernel/base/failure.ts";
import type { Reply } from "../../../kernel/http/output/reply.ts";
import { isTextType } from "../../files/module.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";

export interface FileMetadata {
  id: string;
  filename: string;
  mime_type: string;
  size_bytes: number;
  created_at: string;
}

export interface FileContent {
  file: FileMetadata;
  bytes: Buffer;
  /** Undefined where it is none. */
  text: string | undefined;
}

export const fileOf = async (api: Api, file_id: string): Promise<FileMetadata> =>
  (await api("files.retrieve_metadata", { params: { file_id } })) as FileMetadata;

/** Rule MCE13: also of what was uploaded, as its workspace may put it before any model. */
export async function contentOf(api: Api, file: FileMetadata): Promise<FileContent> {
  const { id, filename, mime_type, size_bytes } = file;
  if (size_bytes > limits.fileReadBytesMax)
    throw invalid(
      `The file ${id} (${filename}) has ${size_bytes} bytes, and ${limits.fileReadBytesMax} can be read here. Get it by the API, or have an agent work with it.`,
    );
  const reply = await api("console.files.content", { params: { file_id: id } });
  const bytes = await bytesOf(reply as Reply, limits.fileReadBytesMax);
  const isText = isTextType(mime_type) && isUtf8(bytes);
  return { file, bytes, text: isText ? bytes.toString("utf8") : undefined };
}

export async function bytesOf({ status, body }: Reply, bytesMax: number): Promise<Buffer> {
  if (status !== 200)
    throw invalid("Leave out the headers range and if-none-match: /mcp answers with all of it.");
  if (body.kind === "bytes") return Buffer.from(body.bytes);
  if (body.kind !== "stream") return Buffer.alloc(0);
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body.stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bytesMax) throw invalid(`This has more than the ${bytesMax} bytes that are read.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

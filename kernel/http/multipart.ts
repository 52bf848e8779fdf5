// Forms with files: fields bounded in memory, files handed on as streams.
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/** Marks a route's body as multipart/form-data, with its limits. */
export interface Multipart {
  multipart: {
    fileBytesMax: number;
    filesMax: number;
    fieldBytesMax: number;
    fields: readonly string[];
  };
}

export interface FormFile {
  field: string;
  filename: string;
  type: string;
  content: Readable;
}

/** Fields that stood before a file are known when the file comes: read the files in order, to their end. */
export interface Form {
  fields: Record<string, string>;
  files: AsyncIterable<FormFile>;
}

export const multipart = (rules: Multipart["multipart"]): Multipart => ({ multipart: rules });

export async function readForm(
  request: IncomingMessage,
  { multipart: rules }: Multipart,
  bytesMax: number,
): Promise<Form> {
  throw new Error(`unfinished ${String(request.url)} ${rules.filesMax} ${bytesMax}`);
}

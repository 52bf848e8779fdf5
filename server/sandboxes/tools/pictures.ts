// Pictures that a model can look at, known by their first bytes.
import { fileTypeFromBuffer } from "file-type";

const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export async function pictureType(bytes: Buffer): Promise<string | undefined> {
  const mime = (await fileTypeFromBuffer(bytes))?.mime;
  return mime !== undefined && shown.has(mime) ? mime : undefined;
}

// Pictures that a model can look at, known by their first bytes.
import { fileTypeFromBuffer } from "file-type";

const shown = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type PictureType = (typeof shown)[number];

export async function pictureType(bytes: Buffer): Promise<PictureType | undefined> {
  const mime = (await fileTypeFromBuffer(bytes))?.mime;
  return shown.find((type) => type === mime);
}

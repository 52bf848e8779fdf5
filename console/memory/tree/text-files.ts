// Files that are to become memories: read, and told why where they cannot.
import { bytesText } from "../../kit/value/sizes.ts";
import { contentBytesMax } from "../memory.ts";

export type TextFile =
  | { name: string; path: string; text: string; bytes: number }
  | { name: string; refusal: string };

export async function readTextFile(file: File, folder: string): Promise<TextFile> {
  const { name, size } = file;
  if (size > contentBytesMax)
    return {
      name,
      refusal: `It has ${bytesText(size)}; a memory holds up to ${contentBytesMax.toLocaleString("en")} bytes. Split it first.`,
    };
  const text = decoded(await file.arrayBuffer());
  if (text === undefined)
    return { name, refusal: "This is not a text in UTF-8, and memories are text only." };
  return { name, path: folder + name.normalize("NFC"), text, bytes: size };
}

/** Byte for byte: a mark at the start stays, as the hash is taken over it. */
function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

// The text of a memory: what fits, and its hash.
import { createHash } from "node:crypto";
import { tooLarge } from "../../../kernel/base/failure.ts";
import type { MemoryContent } from "./apply.ts";
import { limits } from "../limits.ts";

/** Over the exact bytes: nothing is normalized, not even line ends or a byte order mark. */
export function contentOf(field: string, text: string): MemoryContent {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.contentBytesMax)
    throw tooLarge(
      `${field}: must have at most ${limits.contentBytesMax} bytes in UTF-8; it has ${bytes}. Split it into several memories.`,
      { code: "memory_too_large" },
    );
  return { text, bytes, sha256: createHash("sha256").update(text, "utf8").digest("hex") };
}

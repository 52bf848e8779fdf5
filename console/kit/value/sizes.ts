// Sizes in bytes, as file managers write them.
import { plural } from "../../../client/text/words.ts";

const units = ["bytes", "kB", "MB", "GB"] as const;

/** `904 bytes`, `13.4 MB`: thousands, as file managers count. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return plural(bytes, "byte");
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${size.toLocaleString("en", { maximumFractionDigits: size < 100 ? 1 : 0 })} ${units[unit]}`;
}

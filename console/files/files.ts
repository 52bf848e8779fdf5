// Files in words for people: what kind each is, how long it stays, who may fetch it.
import type { FileInfo } from "../kit/server/api.ts";
import { exactTime, inDays, now, relativeTime } from "../kit/value/time.ts";

/** What the server takes in at once. */
export const fileBytesMax = 524_288_000;

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

/** How long an upload may be told to stay; the first is the server's own. */
export const stays: readonly { label: string; seconds: number | undefined }[] = [
  { label: "Stay until deleted", seconds: undefined },
  { label: "Stay for 1 hour", seconds: hourSeconds },
  { label: "Stay for 1 day", seconds: daySeconds },
  { label: "Stay for 7 days", seconds: 7 * daySeconds },
  { label: "Stay for 30 days", seconds: 30 * daySeconds },
  { label: "Stay for 90 days", seconds: 90 * daySeconds },
];

export type Kind = "image" | "pdf" | "text" | "sheet" | "archive" | "sound" | "film" | "other";

/** What every browser draws, and every model that sees takes. */
const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const written =
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|toml|sql|x-ndjson|jsonl|javascript|x-sh|graphql)$|\+(?:json|xml|yaml)$/;

export function kindOf({ mime_type: type }: FileInfo): Kind {
  if (pictures.has(type)) return "image";
  if (type === "application/pdf") return "pdf";
  if (type === "text/csv" || type === "text/tab-separated-values") return "sheet";
  if (written.test(type)) return "text";
  if (/spreadsheet|ms-excel/.test(type)) return "sheet";
  if (/zip|tar|compressed/.test(type)) return "archive";
  if (type.startsWith("audio/")) return "sound";
  return type.startsWith("video/") ? "film" : "other";
}

export const isText = ({ mime_type: type }: FileInfo): boolean => written.test(type);

/** The block that takes it in a message; undefined where none does. */
export function blockOf(file: FileInfo): "image" | "document" | undefined {
  const kind = kindOf(file);
  if (kind === "image") return "image";
  return kind === "pdf" || isText(file) ? "document" : undefined;
}

export const isExpired = ({ expires_at: at }: FileInfo): boolean =>
  at !== null && new Date(at) <= now();

/** What is known of it stays so long after its content. */
const rememberedDays = 30;

/** When it goes and what happens then: one line to read, one that says it all. */
export function stayOf(file: FileInfo): { short: string; long: string } {
  const { expires_at: at } = file;
  if (at === null) return { short: "Never", long: "It stays until somebody deletes it." };
  const forgotten = exactTime(inDays(rememberedDays, new Date(at)).toISOString());
  if (isExpired(file))
    return {
      short: `Expired ${relativeTime(at)}`,
      long: `Its content is gone since ${exactTime(at)}. What is known of it goes at ${forgotten}.`,
    };
  return {
    short: capital(relativeTime(at)),
    long: `At ${exactTime(at)} its content goes, and messages that name it are refused. What is known of it goes at ${forgotten}.`,
  };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Where it came from, and whether a key may fetch it. */
export const originOf = ({ scope, downloadable }: FileInfo) => ({
  words: scope === null ? "Uploaded" : "Made by a tool",
  session: scope?.id,
  reach: downloadable ? "Downloadable over the API" : "Downloadable here only",
  reason: downloadable
    ? "A tool made it: everybody with a key of this workspace downloads it over the API."
    : "It was uploaded: the API does not hand it out, so that a leaked key gives no documents away. People download it here.",
});

// The words by which an event is found: its fields in lower case, split at all but letters and digits.
import { limits } from "./limits.ts";

const seams = /[^\p{L}\p{N}]+/u;

export const searchWordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(seams)
    .filter((word) => word !== "")
    .map((word) => word.slice(0, limits.wordCharactersMax));

interface Findable {
  action: string;
  actor_id: string | null;
  actor_name: string | null;
  target_id: string | null;
  address: string;
  request_id: string | null;
  details: Record<string, unknown>;
}

/** Ids are found whole and by their parts; the organization's id keeps its events from other organizations'. */
export function searchWordsOf(organizationId: string, event: Findable): string[] {
  const { action, actor_id, actor_name, target_id, address, request_id, details } = event;
  const texts = [action, actor_id, actor_name, target_id, address, request_id];
  const words = new Set(
    [...texts, ...textsIn(details)].flatMap((text) => searchWordsIn(text ?? "")),
  );
  return [organizationId, ...[...words].slice(0, limits.wordsPerEventMax)];
}

/** Values and names in the details. */
function textsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (value instanceof Date) return [value.toISOString()];
  if (typeof value === "object")
    return Object.entries(value).flatMap(([name, each]) => [name, ...textsIn(each)]);
  return [typeof value === "string" ? value : JSON.stringify(value)];
}

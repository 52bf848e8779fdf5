// How a key stands, as a badge and in words; and since when nothing has used it.
import type { Key, KeyStatus } from "../kit/server/api.ts";
import { Badge, type Tone } from "../kit/value/badge.tsx";
import { agoText, now } from "../kit/value/time.ts";
import { statusWords } from "../kit/value/words.ts";

const statusTones: Record<KeyStatus, Tone> = {
  active: "good",
  inactive: "warn",
  expired: "bad",
  archived: "neutral",
};

export const KeyStatusBadge = ({ status }: Pick<Key, "status">) => (
  <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>
);

const dayMs = 86_400_000;
const soonMs = 14 * dayMs;

export const expiresSoon = ({ status, expires_at: end }: Key): boolean =>
  status === "active" && end !== null && Date.parse(end) - now().getTime() < soonMs;

const unusedMs = 30 * dayMs;

/** For as long as the list of unused keys looks back by itself. */
export const isUnused = ({ last_used_at: used, created_at: made }: Key): boolean =>
  now().getTime() - Date.parse(used ?? made) >= unusedMs;

/** `Last used 43 days ago`. */
export const usedWords = ({ last_used_at: used }: Pick<Key, "last_used_at">): string =>
  used === null ? "Never used" : `Last used ${agoText(used)}`;

const refusals: Record<Exclude<KeyStatus, "active">, string> = {
  inactive: "Every request with it is refused: it is deactivated. It can be activated again.",
  expired: "Every request with it is refused: it has expired. Programs need another one.",
  archived: "Every request with it is refused: it is archived for ever.",
};

/** Undefined where it works. */
export const refusedWords = ({ status }: Pick<Key, "status">): string | undefined =>
  status === "active" ? undefined : refusals[status];

// Versions as a timeline: by day, with what each did to the size of its memory.
import type { MemoryVersion } from "../server/api.ts";

export interface Moment {
  version: MemoryVersion;
  /** Bytes more than before; undefined where the version before is not loaded or tells nothing. */
  change: number | undefined;
  /** The day that begins with it, newest first. */
  day: string | undefined;
  isLastOfDay: boolean;
}

const dayOf = (iso: string) => iso.slice(0, 10);

/** Newest first, as they come. */
export function timelineOf(versions: readonly MemoryVersion[]): Moment[] {
  /** Of each memory, the version after the one that is looked at. */
  const later = new Map<string, Moment>();
  return versions.map((version, at) => {
    const { memory_id: memory, operation, content_size_bytes: bytes, created_at } = version;
    const [above, after] = [versions[at - 1], versions[at + 1]];
    const isNewDay = above === undefined || dayOf(above.created_at) !== dayOf(created_at);
    const moment: Moment = {
      version,
      change: operation === "created" && bytes !== null ? bytes : undefined,
      day: isNewDay ? created_at : undefined,
      isLastOfDay: after === undefined || dayOf(after.created_at) !== dayOf(created_at),
    };
    const next = later.get(memory);
    if (next !== undefined && bytes !== null) {
      const { operation, content_size_bytes: more, redacted_at: redacted } = next.version;
      if (operation === "deleted" && redacted === null) next.change = -bytes;
      else if (more !== null) next.change = more - bytes;
    }
    later.set(memory, moment);
    return moment;
  });
}

const day = new Intl.DateTimeFormat("en", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

export const dayText = (iso: string): string => `${day.format(new Date(iso))}, UTC`;
export const timeText = (iso: string): string => iso.slice(11, 19);

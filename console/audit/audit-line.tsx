// One thing that was done, as a sentence.
import type { AuditEntry } from "../kit/server/api.ts";
import { spaced } from "../kit/value/words.ts";
import { Time } from "../kit/value/time.tsx";

export const actorName = ({ name, id, type }: AuditEntry["actor"]): string =>
  name ?? id ?? spaced(type);

export function AuditLine({ entry }: { entry: AuditEntry }) {
  return (
    <div className="flex items-baseline gap-3">
      <p className="min-w-0 flex-1">
        <span className="font-medium">{spaced(entry.action)}</span>
        <span className="block truncate text-sm text-soft">
          {actorName(entry.actor)}
          {typeof entry.details["name"] === "string" && `: ${entry.details["name"]}`}
        </span>
      </p>
      <span className="text-sm text-soft">
        <Time at={entry.at} />
      </span>
    </div>
  );
}

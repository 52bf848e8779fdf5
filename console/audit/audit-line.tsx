// One thing that was done, as a sentence.
import type { AuditEntry } from "../kit/server/api.ts";
import { Name } from "../kit/value/name.tsx";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { useNames } from "../kit/value/names.ts";
import { Time } from "../kit/value/time.tsx";
import { spaced } from "../kit/value/words.ts";

export function ActorOf({ actor: { name, id, type } }: Pick<AuditEntry, "actor">) {
  if (id === null) return name ?? spaced(type);
  return <Name id={id} known={name ?? undefined} />;
}

/** Within a sentence: a button to copy would part it, also while it is not seen. */
function ActorWords({ actor: { name, id, type } }: Pick<AuditEntry, "actor">) {
  const nameOf = useNames();
  if (id === null) return name ?? spaced(type);
  return (
    <span title={id}>
      <ObjectLink id={id} isInText>
        {name ?? nameOf(id) ?? `${spaced(type)} …${id.slice(-6)}`}
      </ObjectLink>
    </span>
  );
}

export const AuditLines = ({ entries }: { entries: readonly AuditEntry[] }) => (
  <ol className="rounded-lg border border-line bg-surface">
    {entries.map((entry) => (
      <li key={entry.id} className="border-line px-4 py-2.5 not-last:border-b">
        <AuditLine entry={entry} />
      </li>
    ))}
  </ol>
);

function AuditLine({ entry }: { entry: AuditEntry }) {
  return (
    <div className="flex items-baseline gap-3">
      <p className="min-w-0 flex-1">
        <span className="font-medium">{spaced(entry.action)}</span>
        <span className="block truncate text-sm text-soft">
          <ActorWords actor={entry.actor} />
          {typeof entry.details["name"] === "string" && `: ${entry.details["name"]}`}
        </span>
      </p>
      <span className="text-sm text-soft">
        <Time at={entry.at} />
      </span>
    </div>
  );
}

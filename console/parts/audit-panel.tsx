// One event of the audit log, whole, beside the list.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import type { ReactNode } from "react";
import type { AuditEntry } from "../lib/api.ts";
import { exactTime } from "../lib/time.ts";
import { spaced } from "../lib/words.ts";
import { actorName } from "./audit-line.tsx";
import { IconButton } from "./button.tsx";

export function AuditPanel({
  entry,
  onClose,
  onPrevious,
  onNext,
}: {
  entry: AuditEntry;
  onClose: () => void;
  onPrevious?: () => void;
  onNext?: () => void;
}) {
  return (
    <aside
      aria-label="Event"
      className="fixed inset-x-0 bottom-0 z-30 max-h-[70dvh] overflow-y-auto rounded-t-xl border border-line bg-surface p-4 shadow-lift xl:sticky xl:top-6 xl:z-0 xl:max-h-[calc(100dvh-48px)] xl:rounded-lg xl:shadow-none"
    >
      <div className="mb-3 flex items-start gap-1">
        <h2 className="min-w-0 flex-1 text-lg font-semibold">{spaced(entry.action)}</h2>
        <IconButton
          label="Previous event (K)"
          disabled={onPrevious === undefined}
          onClick={onPrevious}
        >
          <ChevronUp size={16} aria-hidden />
        </IconButton>
        <IconButton label="Next event (J)" disabled={onNext === undefined} onClick={onNext}>
          <ChevronDown size={16} aria-hidden />
        </IconButton>
        <IconButton label="Close the event (Esc)" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <dl className="grid gap-3">
        <Fact name="Time">{exactTime(entry.at)}</Fact>
        <Fact name="Actor">
          {actorName(entry.actor)}
          <Id>{entry.actor.id}</Id>
        </Fact>
        {entry.target !== null && (
          <Fact name="Target">
            {spaced(entry.target.type)}
            <Id>{entry.target.id}</Id>
          </Fact>
        )}
        <Fact name="Address">{entry.address}</Fact>
        <Fact name="Request">
          <Id>{entry.request_id ?? "None"}</Id>
        </Fact>
        <Fact name="Event">
          <Id>{entry.id}</Id>
        </Fact>
        {Object.keys(entry.details).length > 0 && (
          <Fact name="Details">
            <pre
              tabIndex={0}
              role="region"
              aria-label="Details"
              className="overflow-x-auto rounded-md bg-sunken p-2 font-mono text-sm"
            >
              {JSON.stringify(entry.details, null, 2)}
            </pre>
          </Fact>
        )}
      </dl>
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

function Id({ children }: { children: ReactNode }) {
  return <span className="block font-mono text-sm text-soft wrap-anywhere">{children}</span>;
}

// One event of the audit log, whole, beside the list.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import type { ReactNode } from "react";
import type { AuditEntry } from "../kit/server/api.ts";
import { changesOf, shownValue, type Change } from "./audit.ts";
import type { Search } from "../kit/page/search.ts";
import { exactTime } from "../kit/value/time.ts";
import { spaced } from "../kit/value/words.ts";
import { CopyIcon } from "../kit/value/copy-button.tsx";
import { ObjectLink } from "../kit/value/object-link.tsx";
import { useNames } from "../kit/value/names.ts";
import { kindOf, TargetName, targetNoun, useTargetName, type Target } from "./audit-target.tsx";
import { IconButton } from "../kit/page/button.tsx";
import { RequestId } from "../kit/server/request-id.tsx";

export function AuditPanel({
  entry,
  onFilter,
  onClose,
  onPrevious,
  onNext,
}: {
  entry: AuditEntry;
  /** Narrows the list to what has this fact in common. */
  onFilter: (patch: Search) => void;
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
      <Facts entry={entry} onFilter={onFilter} />
    </aside>
  );
}

interface Shown {
  entry: AuditEntry;
  onFilter: (patch: Search) => void;
}

function Facts({ entry, onFilter }: Shown) {
  const { changes, rest } = changesOf(entry.details);
  return (
    <dl className="grid gap-3">
      {changes.map((change) => (
        <Fact key={change.name} name={spaced(change.name)}>
          <Values {...change} />
        </Fact>
      ))}
      <Fact name="Time">{exactTime(entry.at)}</Fact>
      <Fact name="Actor">
        <Actor actor={entry.actor} />
        {entry.actor.id !== null && (
          <Narrow onClick={() => onFilter({ actor_id: entry.actor.id ?? undefined })}>
            Only this actor
          </Narrow>
        )}
      </Fact>
      {entry.target !== null && (
        <Fact name="Target">
          <Whole entry={entry} target={entry.target} />
          <Narrow onClick={() => onFilter({ target_id: entry.target?.id })}>
            Only this target
          </Narrow>
        </Fact>
      )}
      <Fact name="Address">
        {entry.address === "" ? "None" : entry.address}
        {entry.address !== "" && (
          <Narrow onClick={() => onFilter({ address: entry.address })}>Only this address</Narrow>
        )}
      </Fact>
      <Origin entry={entry} />
      {Object.keys(rest).length > 0 && (
        <Fact name="Details">
          <pre
            tabIndex={0}
            role="region"
            aria-label="Details"
            className="overflow-x-auto rounded-md bg-sunken p-2 font-mono text-sm"
          >
            {JSON.stringify(rest, null, 2)}
          </pre>
        </Fact>
      )}
    </dl>
  );
}

function Actor({ actor: { id, name, type } }: Pick<AuditEntry, "actor">) {
  const nameOf = useNames();
  if (id === null) return name ?? spaced(type);
  return (
    <>
      <ObjectLink id={id}>{name ?? nameOf(id) ?? spaced(type)}</ObjectLink>
      <Id id={id} />
    </>
  );
}

function Whole({ entry, target }: { entry: AuditEntry; target: Target }) {
  const name = useTargetName(entry);
  if (target.type === "operation") return <TargetName entry={entry} target={target} />;
  return (
    <>
      <ObjectLink id={target.id} {...kindOf(target)}>
        {name ?? targetNoun(target)}
      </ObjectLink>
      <Id id={target.id} />
    </>
  );
}

/** Where it can be found again: in the log, in the list, in the chain. */
function Origin({ entry }: Pick<Shown, "entry">) {
  return (
    <>
      <Fact name="Request">
        {entry.request_id === null ? (
          "None"
        ) : (
          <Id id={entry.request_id}>
            <RequestId id={entry.request_id} />
          </Id>
        )}
      </Fact>
      <Fact name="Event">
        <Id id={entry.id} />
      </Fact>
      <Fact name="Place in the chain">
        {entry.sequence}
        <Id id={entry.hash} />
      </Fact>
    </>
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

/** What was, and what is: told by words too, not by colour alone. */
function Values({ before, after }: Change) {
  return (
    <span className="grid gap-1">
      <span className="rounded-md bg-bad-soft px-2 py-1 text-bad">
        <span className="text-sm">Before: </span>
        {shownValue(before)}
      </span>
      <span className="rounded-md bg-good-soft px-2 py-1 text-good">
        <span className="text-sm">After: </span>
        {shownValue(after)}
      </span>
    </span>
  );
}

function Narrow({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="block text-sm text-accent underline underline-offset-2"
    >
      {children}
    </button>
  );
}

function Id({ id, children = id }: { id: string; children?: ReactNode }) {
  return (
    <span className="group/name block font-mono text-sm text-soft wrap-anywhere">
      {children} <CopyIcon text={id} label={`Copy ${id}`} />
    </span>
  );
}

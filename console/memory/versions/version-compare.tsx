// A version against the one before it, against the text of today, or against any other: the older one stands left.
import { useQuery } from "@tanstack/react-query";
import type { MemoryVersion } from "../../kit/server/api.ts";
import type { Place } from "../memories/memory-editor.ts";
import { memoryQueries } from "../memory-queries.ts";
import { exactTime } from "../../kit/value/time.ts";
import { FilterSelect } from "../../kit/form/select.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TextDiffView } from "../../kit/text/compared-texts.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  place: Place;
  version: MemoryVersion;
  /** Undefined for the one before; `now`, `none`, or the id of a version. */
  other: string | undefined;
  onOther: (other: string | undefined) => void;
}

export function VersionCompare(props: Props) {
  if (props.version.redacted_at === null) return <Comparison {...props} />;
  return (
    <p className="rounded-lg bg-sunken px-4 py-8 text-center text-soft">
      The text of this version is gone, and nobody can bring it back.
    </p>
  );
}

function Comparison({ place, version, other, onOther }: Props) {
  const { found, isPending, error } = useOther({ place, version, other });
  return (
    <section aria-label="Comparison" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <FilterSelect
          label="Compare with"
          value={other ?? "before"}
          choices={[
            { value: "before", label: "Against the version before" },
            { value: "now", label: "Against the text of today" },
            { value: "none", label: "Only this version" },
            ...(other !== undefined && other !== "now" && other !== "none"
              ? [{ value: other, label: "Against the picked version" }]
              : []),
          ]}
          onChange={(next) => onOther(next === "before" ? undefined : next)}
        />
      </div>
      {error !== null && <TroubleBox error={error} />}
      {isPending && <RowsSkeleton rows={6} />}
      {!isPending && error === null && (
        <Shown version={version} other={found} isAlone={other === "none"} />
      )}
    </section>
  );
}

/** The other side; null where there is none. */
function useOther({ place: { workspace, store }, version, other }: Omit<Props, "onOther">) {
  const isBefore = other === undefined;
  const isNow = other === "now";
  const before = useQuery({
    ...memoryQueries.before(workspace, store, version),
    enabled: isBefore,
  });
  const memory = useQuery({
    ...memoryQueries.memory(workspace, store, version.memory_id),
    enabled: isNow,
  });
  const id = isBefore ? before.data?.id : isNow ? memory.data?.memory_version_id : other;
  const found = useQuery({
    ...memoryQueries.version(workspace, store, id ?? ""),
    enabled: id !== undefined && id !== "none",
  });
  const first = isBefore ? before : isNow ? memory : undefined;
  return {
    found: id === undefined || id === "none" ? null : (found.data ?? null),
    isPending: (first?.isPending ?? false) || (found.isEnabled && found.isPending),
    error: first?.error ?? (found.isEnabled ? found.error : null),
  };
}

function Shown({
  version,
  other,
  isAlone,
}: {
  version: MemoryVersion;
  other: MemoryVersion | null;
  isAlone: boolean;
}) {
  if (isAlone)
    return (
      <pre
        tabIndex={0}
        role="region"
        aria-label="Text of the version"
        className="max-h-[70dvh] overflow-auto rounded-lg border border-line bg-surface p-3 font-mono text-sm leading-5 whitespace-pre-wrap wrap-anywhere"
      >
        {version.content === null ? (
          <span className="text-soft">Deleted: it has no text.</span>
        ) : (
          version.content
        )}
      </pre>
    );
  const isLater = other !== null && other.created_at > version.created_at;
  const [left, right] = isLater ? [version, other] : [other, version];
  return (
    <TextDiffView
      label="What changed"
      before={left?.content ?? ""}
      after={right?.content ?? ""}
      titles={[<Title key="left" version={left} />, <Title key="right" version={right} />]}
    />
  );
}

function Title({ version }: { version: MemoryVersion | null }) {
  if (version === null) return "Nothing before";
  const { path, operation, redacted_at: redacted, created_at: at } = version;
  const what = redacted !== null ? "Redacted" : operation === "deleted" ? `${path}, deleted` : path;
  return (
    <>
      <span className="font-mono">{what}</span>{" "}
      <span className="font-normal text-soft">{exactTime(at)}</span>
    </>
  );
}

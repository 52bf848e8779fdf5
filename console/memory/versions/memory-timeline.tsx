// The versions of a store or of a memory, newest first: what was done, by whom, when, and how the size changed.
import { Link } from "@tanstack/react-router";
import type { MemoryVersion } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { changeText, operations } from "../memory.ts";
import { exactTime } from "../../kit/value/time.ts";
import { dayText, timelineOf, timeText, type Moment } from "../../kit/list/timeline.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { ActorName } from "../../kit/value/actor.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { Chunk } from "../../kit/list/chunk.tsx";

interface Props {
  store: string;
  /** The only memory of the timeline: its path need not stand in each line. */
  memory: string | undefined;
  versions: MemoryVersion[];
  picked: readonly string[];
  onPick: (version: string) => void;
}

const perChunk = 50;
const rowPx = 58;

export function MemoryTimeline({ versions, ...props }: Props) {
  const moments = timelineOf(versions);
  const chunks = Array.from({ length: Math.ceil(moments.length / perChunk) }, (_, at) =>
    moments.slice(at * perChunk, (at + 1) * perChunk),
  );
  return (
    <div role="list" aria-label="Versions">
      {chunks.map((chunk, at) => (
        <Chunk key={at} estimatePx={chunk.length * rowPx}>
          {chunk.map((moment) => (
            <Line key={moment.version.id} moment={moment} {...props} />
          ))}
        </Chunk>
      ))}
    </div>
  );
}

function Line({
  moment: { version, change, day, isLastOfDay },
  store,
  memory,
  picked,
  onPick,
}: Omit<Props, "versions"> & { moment: Moment }) {
  const isPicked = picked.includes(version.id);
  return (
    <div role="listitem">
      {day !== undefined && (
        <h2 className="mt-5 mb-2 text-sm font-medium text-soft first:mt-0">{dayText(day)}</h2>
      )}
      <div
        className={`relative grid items-center gap-x-4 gap-y-1 border-x border-b border-line px-3 py-2 md:min-h-14 md:grid-cols-[auto_5rem_5.5rem_minmax(0,1fr)_10rem_9rem] max-md:grid-cols-[auto_auto_minmax(0,1fr)] ${day === undefined ? "" : "rounded-t-lg border-t"} ${isLastOfDay ? "rounded-b-lg" : ""} ${isPicked ? "bg-accent-soft" : "bg-surface md:hover:bg-hover"}`}
      >
        <input
          type="checkbox"
          checked={isPicked}
          onChange={() => onPick(version.id)}
          aria-label={`Compare the version of ${exactTime(version.created_at)}`}
          className="size-4 accent-accent max-md:size-5"
        />
        <time
          dateTime={version.created_at}
          title={exactTime(version.created_at)}
          className="font-mono text-sm"
        >
          {timeText(version.created_at)}
        </time>
        <span>
          <Operation version={version} />
        </span>
        <span className="min-w-0 max-md:col-span-2 max-md:col-start-2">
          <VersionLink store={store} memory={memory} version={version} />
        </span>
        <span className="flex min-w-0 flex-wrap gap-x-4 text-sm max-md:col-span-2 max-md:col-start-2 md:contents">
          <span className="min-w-0">
            <ActorName actor={version.created_by} />
          </span>
          <span className="flex flex-wrap gap-x-2 md:block md:text-right">
            <Size version={version} change={change} />
          </span>
        </span>
      </div>
    </div>
  );
}

export function Operation({ version }: { version: MemoryVersion }) {
  const { word, tone } = operations[version.operation];
  return <Badge tone={tone}>{word}</Badge>;
}

function VersionLink({
  store,
  memory,
  version,
}: {
  store: string;
  memory: string | undefined;
  version: MemoryVersion;
}) {
  const { search } = useWorkspace();
  const isRedacted = version.redacted_at !== null;
  return (
    <>
      <Link
        to="/memory/$id/history/$version"
        params={{ id: store, version: version.id }}
        search={{ ...search, memory }}
        className="block truncate underline-offset-2 hover:underline"
        title={version.path ?? undefined}
      >
        {isRedacted ? (
          <span className="text-sm font-medium">Redacted</span>
        ) : (
          <span className="font-mono text-sm">{version.path}</span>
        )}
      </Link>
      {isRedacted && (
        <span className="line-clamp-2 text-sm text-soft wrap-anywhere">
          {version.redaction_reason ?? "No reason was given"}
        </span>
      )}
      {version.imported_at !== null && (
        <span className="block text-sm text-soft">Came with an import</span>
      )}
    </>
  );
}

function Size({ version, change }: { version: MemoryVersion; change: number | undefined }) {
  const { content_size_bytes: bytes } = version;
  return (
    <>
      {bytes !== null && <span className="whitespace-nowrap">{bytesText(bytes)}</span>}
      {change !== undefined && version.operation !== "created" && (
        <span className="whitespace-nowrap text-soft md:block">
          {changeText(change, bytesText)}
        </span>
      )}
    </>
  );
}

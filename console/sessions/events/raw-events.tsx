// The events of a thread as the API gives them, by type, each unfolding to its JSON.
import { useMemo, useState } from "react";
import { Chunk } from "../../kit/list/chunk.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import type { SessionEvent } from "../../kit/server/api.ts";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { plural } from "../../../client/text/words.ts";
import { Button } from "../../kit/page/button.tsx";
import { Json } from "../../messages/message-blocks.tsx";
import type { Past } from "./follow.ts";
import { kindOf, kinds } from "./event-words.ts";

const perChunk = 100;
const linePx = 32;

export function RawEvents({
  events,
  past,
  selected,
  onSelect,
}: {
  events: readonly SessionEvent[];
  past: Past;
  selected: string | undefined;
  onSelect: (id: string) => void;
}) {
  const [type, setType] = useState("");
  const types = useMemo(() => [...new Set(events.map((each) => each.type))].toSorted(), [events]);
  const shown = type === "" ? events : events.filter((each) => each.type === type);
  const chunks = Math.ceil(shown.length / perChunk);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <FilterSelect
          label="Type of events"
          value={type}
          choices={[
            { value: "", label: "Every type" },
            ...types.map((value) => ({ value, label: value })),
          ]}
          onChange={setType}
        />
        <CopyButton text={() => JSON.stringify(shown, null, 2)} label="Copy as JSON" />
        <span role="status" className="text-sm text-soft">
          {plural(shown.length, "event")}
          {past.isThere && " so far"}
        </span>
        {past.isThere && (
          <Button busy={past.isReading} onClick={past.read}>
            Load older
          </Button>
        )}
      </div>
      <div
        role="region"
        tabIndex={0}
        aria-label="Raw events"
        className="max-h-[70dvh] overflow-y-auto rounded-md border border-line bg-surface"
      >
        {Array.from({ length: chunks }, (_, at) => (
          <Chunk key={at} estimatePx={perChunk * linePx}>
            {shown.slice(at * perChunk, (at + 1) * perChunk).map((event) => (
              <Raw
                key={event.id}
                event={event}
                isOpen={event.id === selected}
                onOpen={() => onSelect(event.id)}
              />
            ))}
          </Chunk>
        ))}
      </div>
    </div>
  );
}

function Raw({
  event,
  isOpen,
  onOpen,
}: {
  event: SessionEvent;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { id, type, processed_at: at } = event;
  return (
    <details open={isOpen} className="border-line not-last:border-b">
      <summary className="flex flex-wrap items-center gap-x-2 px-3 py-1.5 text-sm max-md:min-h-10">
        <span
          aria-hidden
          className="size-2.5 shrink-0 rounded-xs"
          style={{ backgroundColor: kinds[kindOf(type)].colour }}
        />
        <span className="font-mono wrap-anywhere">{type}</span>
        <span className="text-soft">{at === null ? "waits" : at.slice(11, 23)}</span>
      </summary>
      <Json label={`Event ${id}`} text={JSON.stringify(event, null, 2)} />
      <p className="px-3 py-1.5 text-sm">
        <button type="button" onClick={onOpen} className="text-accent underline underline-offset-2">
          Show it in the transcript
        </button>
      </p>
    </details>
  );
}

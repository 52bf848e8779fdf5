// What was said and done in a thread, one under the other; at its end what is being written right now.
import { useRef } from "react";
import type { CallProgress } from "../../../client/sessions/progress.ts";
import { useNearness } from "../../kit/list/chunk.tsx";
import type { Session } from "../../kit/server/api.ts";
import type { Preview } from "../events/event-log.ts";
import { CallView } from "./call-view.tsx";
import type { Item, Transcript as Shown } from "./items.ts";
import { SaidView, WritingView } from "./said-view.tsx";
import { ToldView } from "./told-view.tsx";

/** What is the same for all of it. */
export interface Scene {
  session: string;
  agentName: string;
  /** The thread that is shown; undefined for the session's own. */
  thread: string | undefined;
  /** Where tools run; undefined until it is known. */
  environment: "cloud" | "self_hosted" | undefined;
  environmentId: string;
  /** Of the session. */
  vaults: readonly string[];
  /** Of the agent of the thread. */
  servers: Session["agent"]["mcp_servers"];
  /** Nothing can be sent to it any more. */
  isOver: boolean;
  /** Of calls that run, by the ids of their events. */
  progress: ReadonlyMap<string, CallProgress>;
  /** Shows the events of another thread. */
  toThread: (thread: string) => void;
}

const itemsPerChunk = 50;
const itemPx = 90;

/** Parts are counted from what was there first: what comes before it makes new ones, and changes none. */
export function Transcript({
  shown: { items, before },
  previews,
  scene,
  selected,
}: {
  shown: Shown;
  previews: readonly Preview[];
  scene: Scene;
  /** The place of the item that an address names. */
  selected: number | undefined;
}) {
  const first = Math.floor(-before / itemsPerChunk);
  const chunks = Math.ceil((items.length - before) / itemsPerChunk) - first;
  return (
    <ol aria-label="Transcript" className="grid gap-3">
      {Array.from({ length: chunks }, (_, at) => {
        const from = before + (first + at) * itemsPerChunk;
        return (
          <Chunk
            key={first + at}
            items={items.slice(Math.max(0, from), from + itemsPerChunk)}
            from={Math.max(0, from)}
            isDrawn={at >= chunks - 2 || first + at < 0}
            scene={scene}
            selected={selected}
          />
        );
      })}
      {previews.map((preview) => (
        <li key={preview.id}>
          <WritingView preview={preview} agentName={scene.agentName} />
        </li>
      ))}
    </ol>
  );
}

function Chunk({
  items,
  from,
  isDrawn,
  scene,
  selected,
}: {
  items: readonly Item[];
  from: number;
  /** At once: the last are what one sees first; of what comes above them, the height must be known. */
  isDrawn: boolean;
  scene: Scene;
  selected: number | undefined;
}) {
  const box = useRef<HTMLLIElement>(null);
  const { isNear, heightPx } = useNearness(box, items.length * itemPx, isDrawn);
  return (
    <li ref={box} data-chunk={from} style={isNear ? undefined : { height: heightPx }}>
      {isNear && (
        <ol className="grid gap-3">
          {items.map((item, at) => (
            <li
              key={item.event.id}
              data-item={from + at}
              tabIndex={-1}
              aria-current={from + at === selected || undefined}
              className="min-w-0 scroll-mt-28 rounded-md aria-current:outline-2 aria-current:outline-offset-4 aria-current:outline-accent"
            >
              <ItemView item={item} scene={scene} />
            </li>
          ))}
        </ol>
      )}
    </li>
  );
}

function ItemView({ item, scene }: { item: Item; scene: Scene }) {
  switch (item.kind) {
    case "call":
      return <CallView call={item} scene={scene} />;
    case "said":
      return <SaidView event={item.event} scene={scene} />;
    default:
      return <ToldView event={item.event} scene={scene} />;
  }
}

const framesMax = 60;
const quietFrames = 5;

/**
 * A part that is far from the window is not drawn: it is gone to first, then to the item in it, and again as long as
 * what is drawn above moves it.
 */
export function goToItem(place: number): void {
  const chunks = [...document.querySelectorAll<HTMLElement>("[data-chunk]")];
  const chunk = chunks.findLast(({ dataset }) => Number(dataset["chunk"]) <= place);
  let quiet = 0;
  let before: number | undefined;
  const look = (frame: number) => {
    const item = document.querySelector<HTMLElement>(`[data-item="${place}"]`);
    if (item === null) chunk?.scrollIntoView();
    else {
      const { top } = item.getBoundingClientRect();
      quiet = top === before ? quiet + 1 : 0;
      item.scrollIntoView({ block: "center" });
      before = item.getBoundingClientRect().top;
      item.focus({ preventScroll: true });
    }
    if (frame < framesMax && quiet < quietFrames) requestAnimationFrame(() => look(frame + 1));
  };
  look(0);
}

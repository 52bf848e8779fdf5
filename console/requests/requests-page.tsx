// The request log: what was asked, by whom, what came of it, what it cost and how long it took; live where wanted.
import { ArrowUp, Download, ListTree, Radio } from "lucide-react";
import { useRef } from "react";
import { useFilters } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { dayText } from "../kit/list/timeline.ts";
import { Button, buttonClass } from "../kit/page/button.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { exactTime } from "../kit/value/time.ts";
import { plural } from "../../client/text/words.ts";
import { liveRowsMax, useLive, type Live } from "./list/live.ts";
import { requestColumns } from "./list/request-columns.tsx";
import { useRequestFilters } from "./list/request-filters.ts";
import { useRequestList, type RequestList } from "./list/request-list.ts";
import { exportAddress, filterOf, type RequestFilter } from "./requests.ts";

export function Page() {
  const [search, change] = useSearchState();
  const filter = filterOf(search);
  const filters = useRequestFilters(search);
  const { isSet } = useFilters(filters);
  const box = useRef<HTMLDivElement>(null);
  const read = useRequestList(filter);
  const isLive = search["live"] === "on" && filter.to === undefined;
  const setLive = (isOn: boolean) => {
    change({ live: isOn ? "on" : undefined });
    if (!isOn) read.refetch();
  };
  const live = useLive(filter, isLive, {
    box,
    onBegin: read.refetch,
    onRefused: () => setLive(false),
  });
  const list = withLive(read, live);
  return (
    <div ref={box} className="[overflow-anchor:none]">
      <ListPage
        title="Requests"
        about="Each request of a program, item of a batch, turn of an agent and change in the console: who asked, what came of it, what it cost. What was said is kept only where a workspace says so."
        actions={
          <>
            <LiveSwitch isOn={isLive} isOver={filter.to !== undefined} set={setLive} />
            <Exports filter={filter} />
          </>
        }
        noun="request"
        icon={ListTree}
        list={list}
        columns={requestColumns}
        sectionOf={({ at }) => dayText(at)}
        filters={filters}
        note={searchedWords(read)}
        moreLabel={read.searchedTo === undefined ? undefined : "Look further back"}
        over={live.above > 0 && <NewAbove live={live} />}
        nothingFits={nothingFits(read)}
        empty={
          isSet
            ? nothingFits(read)
            : {
                title: "No requests yet",
                children:
                  "The first one that a program sends stands here within a second of its end.",
              }
        }
      />
    </div>
  );
}

/** What has just ended on top; of very many only that. */
function withLive(list: RequestList, { rows }: Live): RequestList {
  if (rows.length === 0) return list;
  const total = rows.length;
  if (total >= liveRowsMax) return { ...list, rows, more: undefined, isPending: false };
  const known = new Set(list.rows.map(({ id }) => id));
  const fresh = rows.filter(({ id }) => !known.has(id));
  return { ...list, rows: [...fresh, ...list.rows], isPending: false };
}

const searchedWords = ({ searchedTo, isSearching }: RequestList) =>
  searchedTo !== undefined &&
  `, looked back to ${exactTime(searchedTo)}${isSearching ? " and going on" : ""}`;

const nothingFits = ({ searchedTo }: RequestList) =>
  searchedTo === undefined
    ? { title: "No request fits", children: "What the filters leave out is hidden." }
    : {
        title: "Nothing found so far",
        children: `Looked back to ${exactTime(searchedTo)}. What is older has not been looked at.`,
      };

function LiveSwitch({
  isOn,
  isOver,
  set,
}: {
  isOn: boolean;
  /** The span that is shown has an end. */
  isOver: boolean;
  set: (isOn: boolean) => void;
}) {
  return (
    <Button
      role="switch"
      aria-checked={isOn}
      disabled={isOver}
      title={isOver ? "What is shown ends with a day: take that filter away first." : undefined}
      onClick={() => set(!isOn)}
    >
      <Radio size={16} aria-hidden className={isOn ? "text-good" : "text-soft"} />
      {isOn ? "Live: on" : "Live: off"}
    </Button>
  );
}

function NewAbove({ live: { above, toTop } }: { live: Live }) {
  return (
    <div className="sticky top-16 z-10 flex justify-center lg:top-4">
      <Button look="primary" className="-mb-10 rounded-full shadow-lift" onClick={toTop}>
        <ArrowUp size={16} aria-hidden />
        {plural(above, "new request")}
      </Button>
    </div>
  );
}

/** Of what the filters let through, all of it, however many pages. */
function Exports({ filter }: { filter: RequestFilter }) {
  return (["csv", "jsonl"] as const).map((format) => (
    <a key={format} download href={exportAddress(filter, format)} className={buttonClass()}>
      <Download size={16} aria-hidden />
      {format === "csv" ? "CSV" : "JSON lines"}
    </a>
  ));
}

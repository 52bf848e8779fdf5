// Two texts side by side, line against line; on a phone one below the other.
import { ChevronDown, ChevronUp, UnfoldVertical } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from "react";
import { diffTexts, stretchesOf, type Part, type Row, type TextDiff } from "./text-diff.ts";
import { turnsDirection, turningWords } from "./direction.ts";
import { plural } from "../../../client/text/words.ts";
import { IconButton } from "../page/button.tsx";

interface Props {
  label: string;
  before: string;
  after: string;
  /** What stands on the left, and what on the right. */
  titles: [ReactNode, ReactNode];
}

export function TextDiffView({ label, before, after, titles }: Props) {
  const diff = useMemo(() => diffTexts(before, after), [before, after]);
  const box = useRef<HTMLDivElement>(null);
  const changes = useChanges(diff, box);
  return (
    <div ref={box} className="grid gap-2">
      <div className="flex items-center gap-1">
        <p className="min-w-0 flex-1 text-sm text-soft">{summaryOf(diff)}</p>
        {changes.count > 0 && (
          <>
            <IconButton
              label="Previous change (P)"
              data-step="previous"
              onClick={() => changes.step(-1)}
            >
              <ChevronUp size={16} aria-hidden />
            </IconButton>
            <IconButton label="Next change (N)" data-step="next" onClick={() => changes.step(1)}>
              <ChevronDown size={16} aria-hidden />
            </IconButton>
          </>
        )}
      </div>
      {turnsDirection(before + after) && (
        <p role="status" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {turningWords}
        </p>
      )}
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        <table
          role="table"
          aria-label={label}
          className="w-full table-fixed text-left max-md:block"
        >
          <colgroup className="max-md:hidden">
            <col className="w-12" />
            <col />
            <col className="w-12" />
            <col />
          </colgroup>
          <thead role="rowgroup" className="max-md:block">
            <tr role="row" className="border-b border-line bg-sunken text-sm max-md:grid">
              {titles.map((title, side) => (
                <th
                  key={side}
                  role="columnheader"
                  colSpan={2}
                  scope="colgroup"
                  className={`px-3 py-2 font-medium wrap-anywhere ${side === 1 ? "md:border-l md:border-line" : ""}`}
                >
                  <span aria-hidden className={side === 0 ? "text-bad" : "text-good"}>
                    {side === 0 ? "− " : "+ "}
                  </span>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <Body key={`${before.length} ${after.length}`} diff={diff} />
        </table>
      </div>
    </div>
  );
}

function summaryOf({ added, removed, rows }: TextDiff): string {
  if (added + removed === 0)
    return rows.length === 0 ? "Both are empty." : "There is no difference.";
  return `${plural(added, "line")} added, ${removed.toLocaleString("en")} removed`;
}

/** From change to change, seen from the middle of the window. */
function useChanges({ rows }: TextDiff, box: RefObject<HTMLDivElement | null>) {
  const count = rows.filter((row, at) => isFirstOfChange(rows, at)).length;
  const step = (by: 1 | -1) => {
    const found = [...(box.current?.querySelectorAll("[data-change]") ?? [])];
    const middle = window.innerHeight / 2;
    const distance = (element: Element) => element.getBoundingClientRect().top - middle;
    const next =
      by === 1
        ? found.find((element) => distance(element) > 12)
        : found.findLast((element) => distance(element) < -12);
    (next ?? found.at(by === 1 ? -1 : 0))?.scrollIntoView({ block: "center" });
  };
  return { count, step };
}

const isFirstOfChange = (rows: Row[], at: number) =>
  rows[at]?.isSame === false && rows[at - 1]?.isSame !== false;

/** So many rows are drawn at first, and so many more whenever their end is seen. */
const rowsAtATime = 400;

function Body({ diff }: { diff: TextDiff }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [shown, setShown] = useState(rowsAtATime);
  const stretches = useMemo(() => stretchesOf(diff), [diff]);
  const drawn: ReactNode[] = [];
  let left = shown;
  for (const { kind, from, to } of stretches) {
    if (left <= 0) break;
    if (kind === "same" && !opened.has(from)) {
      drawn.push(
        <Hidden
          key={`hidden ${from}`}
          rows={to - from}
          onOpen={() => setOpened((before) => new Set([...before, from]))}
        />,
      );
      continue;
    }
    const end = Math.min(to, from + left);
    for (let at = from; at < end; at++)
      drawn.push(<Line key={at} row={diff.rows[at]!} isFirst={isFirstOfChange(diff.rows, at)} />);
    left -= end - from;
  }
  return (
    <tbody role="rowgroup" className="font-mono text-sm leading-5 max-md:block">
      {drawn}
      {left <= 0 && <More key={shown} onSeen={() => setShown(shown + rowsAtATime)} />}
    </tbody>
  );
}

function Hidden({ rows, onOpen }: { rows: number; onOpen: () => void }) {
  return (
    <tr role="row" className="max-md:grid">
      <td role="cell" colSpan={4} className="border-y border-line bg-sunken p-0 font-sans">
        <button
          type="button"
          onClick={onOpen}
          className="flex w-full items-center gap-2 px-3 py-1 text-left text-sm text-soft -outline-offset-2 hover:bg-hover hover:text-ink max-md:min-h-10"
        >
          <UnfoldVertical size={14} aria-hidden />
          Show {plural(rows, "line")} that {rows === 1 ? "is" : "are"} the same
        </button>
      </td>
    </tr>
  );
}

function More({ onSeen }: { onSeen: () => void }) {
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting === true) onSeen();
      },
      { rootMargin: "1000px" },
    );
    if (row.current !== null) observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  return (
    <tr ref={row} role="row" className="max-md:grid">
      <td role="cell" colSpan={4} className="p-0 font-sans">
        <button type="button" onClick={onSeen} className="w-full px-3 py-2 text-sm text-soft">
          Show more lines
        </button>
      </td>
    </tr>
  );
}

function Line({ row: { isSame, left, right }, isFirst }: { row: Row; isFirst: boolean }) {
  return (
    <tr
      role="row"
      data-change={isFirst || undefined}
      className="align-top max-md:grid max-md:grid-cols-[48px_minmax(0,1fr)]"
    >
      <Cells side={left} look={isSame ? "same" : "removed"} />
      <Cells side={right} look={isSame ? "same" : "added"} isRight />
    </tr>
  );
}

const looks = {
  same: { cell: "", mark: "", word: "" },
  removed: { cell: "bg-bad-soft", mark: "bg-bad/30", word: "Removed: " },
  added: { cell: "bg-good-soft", mark: "bg-good/30", word: "Added: " },
};

function Cells({
  side,
  look,
  isRight = false,
}: {
  side: Row["left"];
  look: keyof typeof looks;
  isRight?: boolean;
}) {
  // On a phone what is the same stands there once.
  const hidden = side === undefined || (look === "same" && !isRight) ? "max-md:hidden" : "";
  const cell = side === undefined ? "bg-sunken" : looks[look].cell;
  return (
    <>
      <td
        role="cell"
        className={`px-2 text-right text-xs leading-5 text-soft select-none ${cell} ${hidden} ${isRight ? "md:border-l md:border-line" : ""}`}
      >
        {side?.line}
      </td>
      <td
        role="cell"
        className={`relative py-px pr-2 pl-4 whitespace-pre-wrap wrap-anywhere ${cell} ${hidden}`}
      >
        {side !== undefined && <Text parts={side.parts} look={look} />}
      </td>
    </>
  );
}

function Text({ parts, look }: { parts: Part[]; look: keyof typeof looks }) {
  const { mark, word } = looks[look];
  const Mark = look === "removed" ? "del" : "ins";
  return (
    <>
      {look !== "same" && (
        <span aria-hidden className="absolute left-1 select-none">
          {look === "removed" ? "−" : "+"}
        </span>
      )}
      {word !== "" && <span className="sr-only">{word}</span>}
      {parts.map(({ text, isMarked }, at) =>
        isMarked ? (
          <Mark key={at} className={`rounded-xs no-underline ${mark}`}>
            {text.replace("\r", "␍").replace("\n", "↵")}
          </Mark>
        ) : (
          text.replace(/\r?\n$/, "")
        ),
      )}
    </>
  );
}

// The tree of memories, for the mouse and the keyboard: arrows move and open, Enter shows.
import { ChevronRight, FileText, Folder, FolderOpen } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import type { Memory } from "../../kit/server/api.ts";
import { folderOf, nameOf } from "../memory.ts";
import type { TreeRow } from "./memory-tree.ts";
import { useIsPhone } from "../../kit/page/screen.ts";
import { useVisibleRows } from "../../kit/list/visible-rows.ts";

export interface TreeActs {
  open: (memory: Memory) => void;
  toggle: (folder: string, open?: boolean) => void;
  more: (folder: string) => void;
  rename: (memory: Memory) => void;
  remove: (memory: Memory) => void;
}

interface Props {
  rows: TreeRow[];
  /** The id of the memory that is shown. */
  selected: string | undefined;
  /** Rows have no folders above them: they show their whole path. */
  isFlat: boolean;
  /** The folder that files over the tree would fall into. */
  target: string | undefined;
  acts: TreeActs;
}

export function MemoryTree({ rows, selected, isFlat, target, acts }: Props) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const rowPx = useIsPhone() ? 40 : 30;
  const [active, setActive] = useState<{ key: string | undefined; at: number }>();
  const placeOf = (wanted: string | undefined) => rows.findIndex(({ key }) => key === wanted);
  const found = placeOf(active?.key ?? selected);
  // What is gone leaves the keyboard where it was.
  const at = found === -1 ? Math.min(active?.at ?? 0, Math.max(0, rows.length - 1)) : found;
  const { from, to, reveal } = useVisibleRows(box, rows.length, rowPx);
  const isThere = placeOf(selected) !== -1;
  useEffect(() => {
    // Once it has come; what one scrolls to afterwards stays.
    if (!isThere) return;
    setActive({ key: selected, at: placeOf(selected) });
    reveal(placeOf(selected));
  }, [selected, isThere]);
  const drawn = rows.slice(from, to).map((row, place) => ({ row, place: from + place }));
  const current = rows[at];
  // What the keyboard is on is there for those who hear it, wherever the wheel went.
  if (current !== undefined && (at < from || at >= to)) drawn.push({ row: current, place: at });
  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), rows.length - 1);
    setActive({ key: rows[next]?.key, at: next });
    reveal(next);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || current === undefined) return;
    const run = keyActs({ rows, at, current, move, acts })[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  return (
    <div
      ref={box}
      role="tree"
      aria-label="Memories"
      tabIndex={0}
      data-tree
      aria-activedescendant={current === undefined ? undefined : `${id}-${at}`}
      onKeyDown={press}
      className="group/tree h-full overflow-y-auto overscroll-contain p-1.5"
    >
      <div role="none" className="relative" style={{ height: rows.length * rowPx }}>
        {drawn.map(({ row, place }) => (
          <Line
            key={row.key}
            id={`${id}-${place}`}
            row={row}
            top={place * rowPx}
            height={rowPx}
            isActive={place === at}
            isSelected={row.key === selected}
            isFlat={isFlat}
            isTarget={target !== undefined && row.kind === "folder" && row.path === target}
            acts={{ ...acts, activate: () => setActive({ key: row.key, at: place }) }}
          />
        ))}
      </div>
    </div>
  );
}

interface Pressed {
  rows: TreeRow[];
  at: number;
  current: TreeRow;
  move: (to: number) => void;
  acts: TreeActs;
}

const pageRows = 15;

function keyActs({ rows, at, current, move, acts }: Pressed): Record<string, () => void> {
  const parent = rows.slice(0, at).findLastIndex(({ level }) => level < current.level);
  const { open, toggle, more, rename, remove } = acts;
  const into = () => {
    if (current.kind === "folder") toggle(current.path);
    else if (current.kind === "memory") open(current.memory);
    else more(current.path);
  };
  const isOpenFolder = current.kind === "folder" && current.isOpen;
  return {
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    PageDown: () => move(at + pageRows),
    PageUp: () => move(at - pageRows),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: () => (current.kind === "folder" && !current.isOpen ? into() : move(at + 1)),
    ArrowLeft: () => {
      if (isOpenFolder) into();
      else if (parent !== -1) move(parent);
    },
    Enter: into,
    " ": into,
    ...(current.kind === "memory" && {
      F2: () => rename(current.memory),
      Delete: () => remove(current.memory),
    }),
  };
}

function Line(props: {
  id: string;
  row: TreeRow;
  top: number;
  height: number;
  isActive: boolean;
  isSelected: boolean;
  isFlat: boolean;
  isTarget: boolean;
  acts: TreeActs & { activate: () => void };
}) {
  const { id, row, top, height, isActive, isSelected, isFlat, isTarget, acts } = props;
  const press = () => {
    acts.activate();
    if (row.kind === "folder") acts.toggle(row.path);
    if (row.kind === "memory") acts.open(row.memory);
  };
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-selected={isSelected}
      aria-expanded={row.kind === "folder" ? row.isOpen : undefined}
      title={row.kind === "more" ? undefined : row.path}
      data-folder={row.kind === "memory" ? folderOf(row.path) : row.path}
      onClick={press}
      style={{ top, height, paddingLeft: `${(row.level - 1) * 16 + 6}px` }}
      className={`absolute inset-x-0 flex cursor-pointer items-center gap-1.5 rounded-md pr-2 text-sm ${look(isSelected, isTarget)} ${isActive ? "group-focus-visible/tree:outline-2 group-focus-visible/tree:-outline-offset-2 group-focus-visible/tree:outline-accent" : ""}`}
    >
      <Label row={row} isFlat={isFlat} more={acts.more} />
    </div>
  );
}

function look(isSelected: boolean, isTarget: boolean): string {
  if (isTarget) return "bg-accent text-accent-ink";
  return isSelected ? "bg-accent-soft text-accent font-medium" : "hover:bg-hover";
}

function Label({
  row,
  isFlat,
  more,
}: {
  row: TreeRow;
  isFlat: boolean;
  more: (folder: string) => void;
}) {
  if (row.kind === "more") return <More folder={row.path} more={more} />;
  const Icon = row.kind === "memory" ? FileText : row.isOpen ? FolderOpen : Folder;
  return (
    <>
      <ChevronRight
        size={14}
        aria-hidden
        className={`shrink-0 text-soft ${row.kind === "memory" ? "invisible" : ""} ${isFlat ? "hidden" : ""} ${row.kind === "folder" && row.isOpen ? "rotate-90" : ""}`}
      />
      <Icon size={15} aria-hidden className="shrink-0" />
      <span className="truncate">{isFlat ? row.path : nameOf(row.path)}</span>
    </>
  );
}

/** As soon as it is seen, what follows is asked for. */
function More({ folder, more }: { folder: string; more: (folder: string) => void }) {
  useEffect(() => more(folder), [folder]);
  return <span className="pl-5 text-soft">Loading more…</span>;
}

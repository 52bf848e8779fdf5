// Ctrl-K: every page and every act, found by typing, and every object by its id or words of its name.
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useMemo, useState, type KeyboardEvent } from "react";
import { allCommands, type Command } from "../../kit/page/commands.ts";
import { Kbd } from "../../kit/page/kbd.tsx";
import { ranked } from "../../kit/page/ranked.ts";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { useMe } from "../../kit/server/queries.ts";
import { plural } from "../../../client/text/words.ts";
import { beginningsFor } from "./beginnings.ts";
import { useFoundObjects, type FoundObjects, type Hit } from "./found-objects.ts";

type Entry = Pick<Command, "id" | "label" | "keys" | "icon" | "run"> & { detail?: string };

interface Group {
  value: string;
  items: Entry[];
}

const searchLabel = "Search pages, actions and objects";

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fade-only fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label={searchLabel}
          className="fade fixed inset-x-0 top-[12vh] z-50 mx-auto flex max-h-[60dvh] w-[min(560px,calc(100vw-24px))] flex-col rounded-xl border border-line bg-surface text-ink shadow-lift outline-none"
        >
          <Content onClose={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Content({ onClose }: { onClose: () => void }) {
  const me = useMe();
  const navigate = useNavigate();
  const commands = useMemo(
    () => shown(beginningsFor(me, (to, search) => void navigate({ to, search }))),
    [],
  );
  const [typed, setTyped] = useState("");
  const found = useFoundObjects(me, typed);
  function run(entry: Entry): void {
    onClose();
    entry.run();
  }
  const groups = withHits(grouped(commands, typed), found.hits);
  const wait = useAwaited(found, groups, run);
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      value={typed}
      onValueChange={(next) => {
        wait.cancel();
        setTyped(next);
      }}
      autoHighlight="always"
      keepHighlight
      filter={null}
      itemToStringValue={(entry: Entry) => entry.label}
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search size={17} aria-hidden className="text-soft" />
        <Autocomplete.Input
          aria-label={searchLabel}
          aria-busy={found.isLooking}
          placeholder="Search, or paste an id"
          maxLength={200}
          onKeyDown={wait.onKeyDown}
          className="min-h-12 w-full bg-transparent text-lg outline-none"
        />
        <Dialog.Close aria-label="Esc: close" className="rounded">
          <Kbd keys="esc" />
        </Dialog.Close>
      </div>
      <div className="overflow-y-auto p-1.5">
        <Autocomplete.List>
          {(group: Group) => (
            <Autocomplete.Group key={group.value} items={group.items}>
              <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(entry: Entry) => <Item key={entry.id} entry={entry} onRun={() => run(entry)} />}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
        <Below found={found} shown={groups.reduce((sum, { items }) => sum + items.length, 0)} />
      </div>
    </Autocomplete.Root>
  );
}

/** What a list without an end says: that more is on its way, that there is more, or that there is nothing. */
function Below({ found, shown }: { found: FoundObjects; shown: number }) {
  const { hits, hasMore, isLooking, error, retry } = found;
  return (
    <>
      {isLooking && hits.length === 0 && (
        <div className="p-1">
          <RowsSkeleton rows={2} />
        </div>
      )}
      {error !== null && (
        <div className="p-1">
          <TroubleBox error={error} retry={retry} />
        </div>
      )}
      {hasMore && !isLooking && (
        <p className="px-2.5 py-2 text-sm text-soft">
          There are more. Type more of the name to find one of them.
        </p>
      )}
      <Autocomplete.Status
        className={
          shown > 0 || isLooking ? "sr-only" : "px-3 py-6 text-center text-soft empty:hidden"
        }
      >
        {isLooking || error !== null
          ? ""
          : shown === 0
            ? "Nothing is called that."
            : plural(shown, "result")}
      </Autocomplete.Status>
    </>
  );
}

function Item({ entry, onRun }: { entry: Entry; onRun: () => void }) {
  const { label, detail = "", keys, icon: Icon } = entry;
  return (
    <Autocomplete.Item
      value={entry}
      onClick={onRun}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent"
    >
      {Icon !== undefined && <Icon size={16} aria-hidden className="shrink-0" />}
      <span className="min-w-0 flex-1 truncate" title={label}>
        {label}
      </span>
      {detail !== "" && (
        <span className="max-w-[45%] truncate text-sm text-soft" title={detail}>
          {detail}
        </span>
      )}
      {keys !== undefined && <Kbd keys={keys} />}
    </Autocomplete.Item>
  );
}

/** What a person may make has no keys and is known here alone: it stands behind the pages. */
function shown(beginnings: readonly Command[]): Command[] {
  const all = allCommands().filter(({ inPalette }) => inPalette !== false);
  return all.toSpliced(all.findLastIndex(({ group }) => group === "Go to") + 1, 0, ...beginnings);
}

/** The group of the nearest one is first, so that Enter runs that one. */
function grouped(commands: readonly Command[], typed: string): Group[] {
  const found = ranked(commands, typed).filter(({ one }) => typed !== "" || one.whenTyped !== true);
  const groups = Map.groupBy(found, ({ one }) => one.group);
  return [...groups].map(([value, items]) => ({ value, items: items.map(({ one }) => one) }));
}

/** Objects stand behind pages and actions, in the order of the server; where their group is there, in that. */
function withHits(groups: readonly Group[], hits: readonly Hit[]): Group[] {
  const found = groups.flatMap(({ value, items }) => items.map((entry) => [value, entry] as const));
  const all = [...found, ...hits.map((hit) => [hit.group, hit] as const)];
  const together = Map.groupBy<string, readonly [string, Entry]>(all, ([value]) => value);
  return [...together].map(([value, entries]) => ({ value, items: entries.map(([, one]) => one) }));
}

/** Enter that comes before the server has answered runs the first that it finds: a hand is quicker than a network. */
function useAwaited(
  { isLooking }: FoundObjects,
  groups: readonly Group[],
  run: (entry: Entry) => void,
) {
  const [isAwaited, setIsAwaited] = useState(false);
  const first = groups[0]?.items[0];
  useEffect(() => {
    if (!isAwaited || isLooking) return;
    setIsAwaited(false);
    if (first !== undefined) run(first);
  }, [isAwaited, isLooking, first]);
  return {
    cancel: () => setIsAwaited(false),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === "Enter" && first === undefined && isLooking) setIsAwaited(true);
    },
  };
}

// Ctrl-K: every page and every act, found by typing.
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useMemo, useState } from "react";
import { allCommands, type Command } from "../kit/page/commands.ts";
import { Kbd } from "../kit/page/kbd.tsx";
import { ranked } from "../kit/page/ranked.ts";
import { useMe } from "../kit/server/queries.ts";
import { beginningsFor } from "./beginnings.ts";

interface Group {
  value: string;
  items: Command[];
}

export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fade-only fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup
          aria-label="Search pages and actions"
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
  function run(command: Command): void {
    onClose();
    command.run();
  }
  return (
    <Autocomplete.Root
      open
      inline
      items={grouped(commands, typed)}
      value={typed}
      onValueChange={setTyped}
      autoHighlight="always"
      keepHighlight
      filter={null}
      itemToStringValue={(command: Command) => command.label}
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search size={17} aria-hidden className="text-soft" />
        <Autocomplete.Input
          aria-label="Search pages and actions"
          placeholder="Search pages and actions"
          className="min-h-12 w-full bg-transparent text-lg outline-none"
        />
        <Dialog.Close aria-label="Esc: close" className="rounded">
          <Kbd keys="esc" />
        </Dialog.Close>
      </div>
      <div className="overflow-y-auto p-1.5">
        <Autocomplete.Empty className="px-3 py-6 text-center text-soft empty:hidden">
          Nothing is called that.
        </Autocomplete.Empty>
        <Autocomplete.List>
          {(group: Group) => (
            <Autocomplete.Group key={group.value} items={group.items}>
              <Autocomplete.GroupLabel className="px-2.5 pt-2 pb-1 text-xs font-medium text-soft">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(command: Command) => (
                  <Item key={command.id} command={command} onRun={() => run(command)} />
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  );
}

function Item({ command, onRun }: { command: Command; onRun: () => void }) {
  const { label, keys, icon: Icon } = command;
  return (
    <Autocomplete.Item
      value={command}
      onClick={onRun}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent"
    >
      {Icon !== undefined && <Icon size={16} aria-hidden />}
      <span className="flex-1">{label}</span>
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

// `?`: all shortcuts that work where one is, read from the registry.
import { allCommands, type Command } from "../kit/page/commands.ts";
import { Dialog } from "../kit/dialog/dialog.tsx";
import { Kbd } from "../kit/page/kbd.tsx";

export function CheatSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <Groups />
    </Dialog>
  );
}

const order: Command["group"][] = ["Go to", "This page", "Help"];

function Groups() {
  const groups = Map.groupBy(
    allCommands().filter(({ keys }) => keys !== undefined),
    ({ group }) => group,
  );
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {order
        .filter((group) => groups.has(group))
        .map((group) => (
          <div key={group}>
            <h3 className="mb-1 text-sm font-medium text-soft">{group}</h3>
            <ul>
              {groups.get(group)?.map(({ id, label, keys = "" }) => (
                <li key={id} className="flex items-center justify-between gap-3 py-1">
                  {label}
                  <Kbd keys={keys} />
                </li>
              ))}
            </ul>
          </div>
        ))}
    </div>
  );
}

// The caps of a shortcut.
import { keyCaps } from "./commands.ts";

export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-1">
      {keyCaps(keys).map((cap, place) => (
        <kbd
          key={place}
          className="min-w-5 rounded border border-line bg-sunken px-1 text-center font-sans text-xs leading-5 text-soft"
        >
          {cap}
        </kbd>
      ))}
    </span>
  );
}

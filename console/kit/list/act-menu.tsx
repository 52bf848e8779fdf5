// A button that opens a list of acts.
import { Menu } from "@base-ui/react/menu";
import { Ellipsis, type LucideIcon } from "lucide-react";
import { buttonClass, type ButtonLook } from "../page/button.tsx";

export interface MenuAct {
  label: string;
  icon: LucideIcon;
  run: () => void;
  isBad?: boolean;
  /** Not offered where it is not so. */
  when?: boolean;
  /** On the page of the thing itself it is a button, not in the menu. */
  button?: ButtonLook;
}

const item =
  "flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5";

export function ActMenu({ label, acts }: { label: string; acts: readonly MenuAct[] }) {
  return (
    <Menu.Root>
      <Menu.Trigger
        data-acts
        className={buttonClass("plain", "icon")}
        aria-label={label}
        title={label}
      >
        <Ellipsis size={16} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-30">
          <Menu.Popup className="fade min-w-48 rounded-lg border border-line bg-surface p-1 text-left text-ink shadow-lift outline-none">
            {acts
              .filter(({ when }) => when !== false)
              .map(({ label, icon: Icon, run, isBad }) => (
                <Menu.Item
                  key={label}
                  className={`${item} ${isBad === true ? "text-bad" : ""}`}
                  onClick={run}
                >
                  <Icon size={16} aria-hidden />
                  {label}
                </Menu.Item>
              ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

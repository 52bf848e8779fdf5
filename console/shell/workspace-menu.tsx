// The workspaces to choose from.
import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { LazyMenuProps } from "../kit/page/lazy-menu.tsx";
import { useWorkspace } from "../kit/server/workspace.ts";
import { WorkspaceDot } from "../workspaces/workspace-dot.tsx";
import { useChooseWorkspace } from "./page-workspace.ts";

export function WorkspaceMenu({ className, children, defaultOpen }: LazyMenuProps) {
  const { id, workspaces } = useWorkspace();
  const choose = useChooseWorkspace();
  return (
    <Menu.Root defaultOpen={defaultOpen}>
      <Menu.Trigger className={className}>{children}</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="fade max-h-[60dvh] w-56 overflow-y-auto rounded-lg border border-line bg-surface p-1 text-ink shadow-lift outline-none">
            <Menu.RadioGroup value={id ?? ""} onValueChange={choose}>
              {workspaces.map((one) => (
                <Menu.RadioItem
                  key={one.id}
                  value={one.id}
                  closeOnClick
                  className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5"
                >
                  <WorkspaceDot color={one.display_color} />
                  <span dir="auto" className="min-w-0 flex-1 truncate text-left">
                    {one.name}
                  </span>
                  <Menu.RadioItemIndicator>
                    <Check size={15} aria-hidden />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

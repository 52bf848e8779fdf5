// The navigation on a phone.
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { IconButton } from "../kit/page/button.tsx";
import type { Me } from "../kit/server/api.ts";
import { AccountButton, WorkspaceButton } from "./menu-buttons.tsx";
import { Organization, Pages } from "./navigation.tsx";

export function Drawer({
  me,
  open,
  onOpenChange,
}: {
  me: Me;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fade fade-only fixed inset-0 z-30 bg-shade" />
        <Dialog.Popup className="slide fixed inset-y-0 left-0 z-40 flex w-72 max-w-[85vw] flex-col gap-4 bg-surface p-3 text-ink shadow-lift outline-none">
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          <div className="flex items-start justify-between">
            <Organization me={me} />
            <Dialog.Close render={<IconButton label="Close" />} aria-label="Close">
              <X size={18} aria-hidden />
            </Dialog.Close>
          </div>
          <WorkspaceButton />
          <Pages me={me} />
          <AccountButton me={me} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

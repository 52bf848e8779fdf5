// The one dialog: a title, a body, and acts at its foot.
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from "react";
import { Button, IconButton } from "../page/button.tsx";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** What must not be lost by a stray press stays until it says so itself. */
  locked?: boolean;
  wide?: boolean | "full";
  children: ReactNode;
}

const widths: Record<string, string> = {
  false: "max-w-lg",
  true: "max-w-2xl",
  full: "max-w-6xl",
};

const Closing = createContext<() => void>(() => {});

/** Closes the dialog that this stands in. */
export const useCloseDialog = (): (() => void) => useContext(Closing);

/** Something is under way, or typed and not saved. */
type Hold = "busy" | "unsaved" | undefined;
const Holding = createContext<(hold: Hold) => void>(() => {});

/** What stands in a dialog holds it: it is not closed while busy, and not without a question while unsaved. */
export function useDialogHold(hold: Hold): void {
  const tell = useContext(Holding);
  useEffect(() => {
    tell(hold);
    return () => tell(undefined);
  }, [tell, hold]);
}

export function Dialog({ open, onClose, title, description, locked, wide, children }: DialogProps) {
  const hold = useRef<Hold>(undefined);
  const [isAsking, setAsking] = useState(false);
  const [tellHold] = useState(() => (next: Hold) => void (hold.current = next));
  function leave(): void {
    if (locked === true || hold.current === "busy") return;
    if (hold.current === "unsaved") setAsking(true);
    else onClose();
  }
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={locked === true}
      onOpenChange={(next) => {
        if (!next) leave();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fade fade-only fixed inset-0 z-40 bg-shade" />
        <Base.Popup
          className={`fade fixed inset-x-0 top-[8vh] z-50 mx-auto max-h-[84dvh] overflow-y-auto rounded-xl border border-line bg-surface p-5 text-ink shadow-lift outline-none w-[calc(100vw-24px)] ${widths[String(wide ?? false)]}`}
        >
          <div className="mb-4 pr-8">
            <Base.Title className="text-lg font-semibold text-balance">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className="mt-1 text-soft">{description}</Base.Description>
            )}
          </div>
          <Holding value={tellHold}>
            <Closing value={onClose}>{children}</Closing>
          </Holding>
          {isAsking && (
            <LeaveQuestion
              open
              onStay={() => setAsking(false)}
              onLeave={() => {
                setAsking(false);
                onClose();
              }}
            />
          )}
          {/* Last in the order, so that the first thing to tab to is what the dialog is about. */}
          {locked !== true && (
            <Base.Close
              render={<IconButton label="Close" className="absolute top-4 right-4" />}
              aria-label="Close"
            >
              <X size={16} aria-hidden />
            </Base.Close>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Of what is typed and not saved, unless it says otherwise. */
export function LeaveQuestion({
  open,
  onStay,
  onLeave,
  title = "Leave without saving?",
  description = "What you typed is not saved yet. If you leave, it is gone.",
  label = "Leave without saving",
}: {
  open: boolean;
  onStay: () => void;
  onLeave: () => void;
  title?: string | undefined;
  description?: string | undefined;
  label?: string | undefined;
}) {
  return (
    <Dialog open={open} onClose={onStay} title={title} description={description}>
      <DialogActions>
        <Button onClick={onStay}>Stay</Button>
        <Button look="danger" onClick={onLeave}>
          {label}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}

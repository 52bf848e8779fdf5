// Who goes away from what is not saved, or still on its way, is asked.
import { useBlocker } from "@tanstack/react-router";
import { Button } from "../page/button.tsx";
import { useUnsaved } from "../server/signed-out.ts";
import { Dialog, DialogActions } from "./dialog.tsx";

interface Where {
  pathname: string;
  search: Record<string, string | undefined>;
}

/** Another memory is another place, also where only the query of the address says so. */
const isElsewhere = (from: Where, to: Where) =>
  from.search["memory"] !== to.search["memory"] || from.search["new"] !== to.search["new"];

/** Of a text that is typed; another page says in words of its own what is lost, and is left by its path alone. */
export function Leaving({
  isDirty,
  title = "Leave without saving?",
  description = "What you typed is not saved yet. If you leave, it is gone.",
  label = "Leave without saving",
  byPath = false,
}: {
  isDirty: boolean;
  title?: string;
  description?: string;
  label?: string;
  /** What the query of the address says leads nowhere else. */
  byPath?: boolean;
}) {
  useUnsaved(isDirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      (current.pathname !== next.pathname ||
        (!byPath && isElsewhere(current as Where, next as Where))),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === "blocked" && isDirty}
      onClose={() => blocker.reset?.()}
      title={title}
      description={description}
    >
      <DialogActions>
        <Button onClick={() => blocker.reset?.()}>Stay</Button>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          {label}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

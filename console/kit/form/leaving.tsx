// Whoever goes away from a text that is not saved is asked.
import { useBlocker } from "@tanstack/react-router";
import { Button } from "../page/button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";

interface Where {
  pathname: string;
  search: Record<string, string | undefined>;
}

/** Another memory is another place, also where only the query of the address says so. */
const isElsewhere = (from: Where, to: Where) =>
  from.pathname !== to.pathname ||
  from.search["memory"] !== to.search["memory"] ||
  from.search["new"] !== to.search["new"];

export function Leaving({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && isElsewhere(current as Where, next as Where),
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return (
    <Dialog
      open={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      description="What you typed is not saved yet. If you leave, it is gone."
    >
      <DialogActions>
        <Button onClick={() => blocker.reset?.()}>Stay</Button>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          Leave without saving
        </Button>
      </DialogActions>
    </Dialog>
  );
}

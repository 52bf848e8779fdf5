// Who goes away from what is not saved, or still on its way, is asked.
import { useBlocker } from "@tanstack/react-router";
import type { RefObject } from "react";
import { useUnsaved } from "../server/signed-out.ts";
import { LeaveQuestion } from "./dialog.tsx";

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
  isDone,
  byPath = false,
  ...words
}: {
  isDirty: boolean;
  /** It has just been saved: the next step may lead elsewhere before this is drawn again. */
  isDone?: RefObject<boolean>;
  /** What the query of the address says leads nowhere else. */
  byPath?: boolean;
  title?: string;
  description?: string;
  label?: string;
}) {
  useUnsaved(isDirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      isDone?.current !== true &&
      (current.pathname !== next.pathname ||
        (!byPath && isElsewhere(current as Where, next as Where))),
    enableBeforeUnload: () => isDirty && isDone?.current !== true,
    withResolver: true,
  });
  return (
    <LeaveQuestion
      open={blocker.status === "blocked" && isDirty}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
      {...words}
    />
  );
}

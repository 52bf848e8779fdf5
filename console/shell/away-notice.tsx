// Said while the server does not answer. As soon as it does, what is on the page is read again.
import { useQuery } from "@tanstack/react-query";
import { CloudOff } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { isAwayNow, onAway } from "../kit/server/away.ts";
import { queries, queryClient } from "../kit/server/queries.ts";

const tryAgainMs = 1_000;

export const useIsAway = (): boolean => useSyncExternalStore(onAway, isAwayNow);

export function AwayNotice() {
  const isAway = useIsAway();
  const wasAway = useRef(false);
  useQuery({
    ...queries.answers,
    enabled: isAway,
    refetchInterval: tryAgainMs,
  });
  useEffect(() => {
    if (wasAway.current && !isAway) void queryClient.invalidateQueries();
    wasAway.current = isAway;
  }, [isAway]);
  return (
    <div role="status" className="empty:hidden">
      {isAway && (
        <p className="mb-6 flex items-start gap-3 rounded-lg bg-warn-soft p-3 text-warn">
          <CloudOff size={18} aria-hidden className="mt-0.5 shrink-0" />
          <span>
            <span className="font-medium">The server does not answer.</span> What you see may be
            old. It is asked again by itself, and this page goes on as soon as it is back.
          </span>
        </p>
      )}
    </div>
  );
}

// One slim bar while the server does not answer. As soon as it does, what is on the page is read again.
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
    <div role="status" className="sticky top-0 z-30 empty:hidden max-lg:top-12">
      {isAway && (
        <p className="mb-4 flex items-center gap-2.5 rounded-md bg-warn-soft px-3 py-1.5 text-sm text-warn shadow-lift">
          <CloudOff size={16} aria-hidden className="shrink-0" />
          <span>
            <span className="font-medium">The server does not answer.</span> Reconnecting; what you
            see may be old.
          </span>
        </p>
      )}
    </div>
  );
}

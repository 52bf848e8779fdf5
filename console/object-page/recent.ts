// The last requests of a thing, and when it was used last.
import { useQuery } from "@tanstack/react-query";
import { useMe } from "../kit/server/queries.ts";
import { maySeeRequests } from "../kit/value/object-link.tsx";
import { useRequestList } from "../requests/list/request-list.ts";
import { rangeOf } from "../usage/range.ts";
import { usageQueries } from "../usage/usage.ts";
import { maySeeSpend, requestFilter, usageFilter, type Subject } from "./subject.ts";

export const recentMax = 10;

export function useRecent(subject: Subject, isFailed = false) {
  const enabled = maySeeRequests(useMe());
  const filter = { ...requestFilter(subject), ...(isFailed && { status: "error" }) };
  const list = useRequestList(filter, { rowsPerPage: recentMax, enabled });
  return { ...list, rows: list.rows.slice(0, recentMax) };
}

/** By the log, as far as it goes back, and before that by the sums of a year. */
export function useLastUse(subject: Subject) {
  const me = useMe();
  const recent = useRecent(subject);
  const [request] = recent.rows;
  const isUnlogged = !maySeeRequests(me) || (!recent.isPending && request === undefined);
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  const year = useQuery({
    ...usageQueries.series(
      rangeOf("365d", minute),
      "requests",
      undefined,
      [],
      usageFilter(subject),
    ),
    enabled: maySeeSpend(me) && isUnlogged,
  });
  const days = year.data;
  const at = days?.rows[0]?.values.findLastIndex((count) => count > 0) ?? -1;
  return {
    request,
    /** The beginning of a day of UTC. */
    dayMs: days?.times[at],
    isPending: isUnlogged ? maySeeSpend(me) && year.isPending : recent.isPending,
  };
}

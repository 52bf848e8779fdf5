// The list of sessions as it is now: pages that were read once, with what is new in them since.
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { usePagedList, type List } from "../../kit/list/list.ts";
import type { Session } from "../../kit/server/api.ts";
import {
  sessionQueries,
  type Fresh,
  type SessionFilter,
  type Workspace,
} from "../session-queries.ts";

/** Pages are not read again while one looks: a list of 10,000 costs no more to follow than one of 20. */
export function useSessionList(workspace: Workspace, filter: SessionFilter): List<Session> {
  const list = usePagedList(sessionQueries.list(workspace, filter));
  const shown = useRef<readonly Session[]>([]);
  const { data: fresh } = useQuery({
    ...sessionQueries.fresh(workspace, filter, () => shown.current),
    enabled: !list.isPending,
  });
  const rows = fresh === undefined ? list.rows : freshened(list.rows, fresh, filter);
  shown.current = rows;
  return { ...list, rows };
}

/** Newer ones first, those that changed in their places; what is archived, deleted or no longer fits is gone. */
function freshened(
  rows: readonly Session[],
  { newest, changed, isWhole }: Fresh,
  { status }: SessionFilter,
): Session[] {
  const now = new Map([...changed, ...newest].map((each) => [each.id, each]));
  const listed = new Set(rows.map(({ id }) => id));
  // Ids are in the order in which sessions began.
  const first = rows[0]?.id ?? "";
  const from = isWhole ? "" : (newest.at(-1)?.id ?? "");
  const current = new Set(newest.map(({ id }) => id));
  const last = newest[0]?.id;
  const isStill = ({ id }: Session) =>
    id < from || current.has(id) || (last !== undefined && id > last);
  const begun = newest.filter(({ id }) => !listed.has(id) && id >= first);
  return [...begun, ...rows.filter(isStill)]
    .map((row) => now.get(row.id) ?? row)
    .filter((row) => status === undefined || row.status === status);
}

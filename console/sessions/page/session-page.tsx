// One session: its events as they come, what was said in it, and the ways to talk to it and to answer it.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../../kit/page/detail-page.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { sessionActs } from "../session-acts.tsx";
import { sessionQueries } from "../session-queries.ts";
import { SessionStatus } from "../session-status.tsx";
import { useSessionTitle } from "../session-title.tsx";
import { SessionRoom } from "./session-room.tsx";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search: home } = useWorkspace();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: "/sessions", search: home });
  const read = useQuery(sessionQueries.one(workspace, id));
  const title = useSessionTitle({ id, title: read.data?.title ?? (read.data ? null : "Session") });
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(sessionQueries.one(other, id)),
  );
  return (
    <DetailPage
      back={{ to: "/sessions", search: home, label: "All sessions" }}
      noun="Session"
      read={read}
      isLooking={isLooking}
      titleOf={() => title}
      aboutOf={({ agent, status, archived_at: archived }) => (
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span role="status">
            <SessionStatus status={status} />
          </span>
          {archived !== null && <Badge>Archived</Badge>}
          <span>{agent.name}</span>
          <span className="font-mono text-sm">{id}</span>
        </span>
      )}
      actsOf={(session) => sessionActs(session, workspace, toList)}
    >
      {(session) => <SessionRoom key={id} session={session} />}
    </DetailPage>
  );
}

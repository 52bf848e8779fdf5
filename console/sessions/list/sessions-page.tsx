// The sessions of a workspace: what agents do and have done.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import type { Filter } from "../../kit/list/filters.tsx";
import { ListPage } from "../../kit/list/list-page.tsx";
import type { Column } from "../../kit/list/table.tsx";
import { useSearchState, type Search } from "../../kit/page/search.ts";
import type { Session } from "../../kit/server/api.ts";
import { useServerUrl } from "../../kit/server/queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { choiceQueries } from "../choice-queries.ts";
import { sessionActs } from "../session-acts.tsx";
import { firstSession } from "../session-snippets.ts";
import { SessionStatus } from "../session-status.tsx";
import { SessionTitle } from "../session-title.tsx";
import { costText, durationText, isActive, statusChoices, statusOf } from "../sessions.ts";
import { useSessionList } from "./session-list.ts";

export function Page() {
  const { id: workspace, search: home } = useWorkspace();
  const [{ agent, status, archived }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const list = useSessionList(workspace, {
    agent,
    status: statusOf(status),
    archived: archived === "shown",
  });
  const running = list.rows.filter(isActive).length;
  return (
    <ListPage
      title="Sessions"
      about="A session is one run of an agent: you talk to it, it works with its tools, and everything that happens is kept."
      noun="session"
      note={running > 0 && `, ${running} running`}
      icon={MessagesSquare}
      list={list}
      columns={columnsOf(home)}
      nameOf={({ title, id }) => title ?? id}
      acts={(session) => sessionActs(session, workspace)}
      create={{
        label: "New session",
        inPalette: false,
        run: () => void navigate({ to: "/sessions/new", search: home }),
      }}
      filters={useSessionFilters(agent)}
      nothingFits={{ title: "No session fits", children: "What the filters leave out is hidden." }}
      empty={{
        title: "No sessions yet",
        children:
          "Begin one here, or from a program. It needs an agent, and an environment in which the tools of the agent run.",
        snippets: firstSession(url),
      }}
    />
  );
}

/** An address may name an agent that is archived: it is offered by its id. */
function useSessionFilters(asked: string | undefined): readonly Filter[] {
  const { id: workspace } = useWorkspace();
  const { data = [] } = useQuery(choiceQueries.agents(workspace));
  const known = data.map(({ id, name }) => ({ value: id, label: name }));
  const isKnown = asked === undefined || known.some(({ value }) => value === asked);
  return [
    {
      kind: "choice",
      name: "agent",
      label: "Agent",
      any: "Any agent",
      choices: isKnown ? known : [...known, { value: asked, label: asked }],
    },
    { kind: "choice", name: "status", label: "Status", any: "Any status", choices: statusChoices },
    { kind: "check", name: "archived", label: "Show archived" },
  ];
}

/** `search` of the address of each session. */
const columnsOf = (search: Search): Column<Session>[] => [
  nameColumn({
    title: "Session",
    className: "md:w-2/5 md:min-w-44",
    name: (session) => <SessionTitle session={session} />,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    opens: ({ id }) => ({ to: "/sessions/$id", params: { id }, search }),
  }),
  {
    title: "Agent",
    cell: ({ agent: { name, version } }) => (
      <span className="wrap-anywhere">
        {name} <span className="text-sm whitespace-nowrap text-soft">v{version}</span>
      </span>
    ),
  },
  { title: "Status", cell: ({ status }) => <SessionStatus status={status} /> },
  { title: "Cost", isNumber: true, cell: costText },
  timeColumn("Begun", ({ created_at: at }) => at),
  {
    title: "Worked",
    isNumber: true,
    cell: ({ stats }) => (
      <span className="whitespace-nowrap">{durationText(stats.active_seconds)}</span>
    ),
  },
];

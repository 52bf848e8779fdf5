// What can be done with a session. What has no way back says what will happen before it does.
import { Archive, CircleDollarSign, CircleSlash, Copy, Pencil, Trash2 } from "lucide-react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { say } from "../kit/page/say.ts";
import { server, type Session } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { changeBudget, removeBudget, renameSession } from "./change-session.tsx";
import { forgetSessions, renewSession, type Workspace } from "./session-queries.ts";
import { isActive } from "./sessions.ts";

export function sessionActs(
  session: Session,
  workspace: Workspace,
  onDeleted?: () => void,
): MenuAct[] {
  const isOpen = session.status !== "terminated";
  const hasBudget = isOpen && session.budget !== null;
  return [
    {
      label: "Rename",
      icon: Pencil,
      when: isOpen,
      run: () => renameSession(session, workspace),
    },
    {
      label: "Change the budget",
      icon: CircleDollarSign,
      when: hasBudget,
      run: () => changeBudget(session, workspace),
    },
    {
      label: "Remove the budget",
      icon: CircleSlash,
      when: hasBudget,
      run: () => removeBudget(session, workspace),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(session) },
    {
      label: "Archive",
      icon: Archive,
      when: session.archived_at === null,
      run: () => archive(session, workspace),
    },
    {
      label: "Delete",
      icon: Trash2,
      isBad: true,
      when: !isActive(session),
      run: () => remove(session, workspace, onDeleted),
    },
  ];
}

async function copyId({ id }: Session): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const askedOf = ({ id }: Session, workspace: Workspace) => ({
  params: { session_id: id },
  headers: inWorkspace(workspace),
});

function archive(session: Session, workspace: Workspace): void {
  const renew = () => {
    forgetSessions(workspace);
    return renewSession(workspace, session.id);
  };
  confirm({
    title: "Archive this session?",
    label: "Archive the session",
    keep: "Leave it open",
    run: () => server.sessions.archive(askedOf(session, workspace)),
    done: "The session is archived",
    renew,
    failed: renew,
    children: (
      <>
        <p>
          The session ends for good: what runs in it is stopped, and it takes no more messages. All
          that happened in it can be read as before.
        </p>
        <p>This cannot be undone.</p>
      </>
    ),
  });
}

const remove = (session: Session, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this session?",
    label: "Delete the session",
    keep: "Keep it",
    run: () => server.sessions.delete(askedOf(session, workspace)),
    done: "The session is deleted",
    renew: () => forgetSessions(workspace),
    failed: () => renewSession(workspace, session.id),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <>
        <p>
          The session and all its events are gone for everybody, at once. What its agent wrote to
          memory stores stays, and what it was charged stays charged.
        </p>
        <p>This cannot be undone.</p>
      </>
    ),
  });

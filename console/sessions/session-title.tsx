// What a session is called: its title, else what was said in it first.
import { useQuery } from "@tanstack/react-query";
import type { Session } from "../kit/server/api.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { sessionQueries } from "./session-queries.ts";
import { firstWords, untitled } from "./sessions.ts";

export function useSessionTitle({ id, title }: Pick<Session, "id" | "title">): string {
  const { id: workspace } = useWorkspace();
  const isUntitled = title === null || title === "";
  const { data } = useQuery({ ...sessionQueries.opening(workspace, id), enabled: isUntitled });
  if (!isUntitled) return title;
  return firstWords(data ?? "") || untitled;
}

export const SessionTitle = ({ session }: { session: Pick<Session, "id" | "title"> }) =>
  useSessionTitle(session);

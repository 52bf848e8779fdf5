// What people send to a session.
import type { SessionsEventsSendBody } from "../../contract/types.ts";
import { server } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import type { Workspace } from "./session-queries.ts";

export type ClientEvent = SessionsEventsSendBody["events"][number];

export const sendEvents = (workspace: Workspace, session: string, events: ClientEvent[]) =>
  server.sessions.events.send({
    params: { session_id: session },
    body: { events },
    headers: inWorkspace(workspace),
  });

export const message = (text: string): ClientEvent => ({
  type: "user.message",
  content: [{ type: "text", text }],
});

// Routes of sessions, their events and threads.
import { route } from "../../kernel/http/route.ts";
import { listThreadEvents } from "./events/list.ts";
import { sendEvents } from "./events/send.ts";
import { streamThreadEvents } from "./events/stream.ts";
import { SendEvents } from "./inputs/schema.ts";
import * as events from "./events/schema.ts";
import { routes as networkRoutes } from "./network/routes.ts";
import { routes as packageRoutes } from "./packages/routes.ts";
import { routes as resourceRoutes } from "./resources/routes.ts";
import * as schema from "./schema.ts";
import { expectSession } from "./named-session.ts";
import { routes as sandboxRoutes } from "./sandbox/routes.ts";
import * as service from "./service.ts";
import { ofSessions, ofSessionsAndWorkers, sessionPath as session } from "./shapes.ts";
import * as threads from "./threads/schema.ts";
import * as threadService from "./threads/service.ts";
import * as waiting from "./waiting/schema.ts";
import { listWaiting } from "./waiting/service.ts";

const thread = `${session}/threads/{thread_id}` as const;

export const routes = [
  route({
    operation: "sessions.create",
    method: "POST",
    path: "/v1/sessions",
    summary: "Begins a session of an agent, at one of its versions.",
    ...ofSessions,
    body: schema.CreateSession,
    reply: schema.Session,
    handle: (context, { body }) => service.createSession(context, body),
  }),
  route({
    operation: "sessions.list",
    method: "GET",
    path: "/v1/sessions",
    summary: "Lists the workspace's sessions, newest first.",
    ...ofSessions,
    query: schema.SessionQuery,
    reply: schema.SessionPage,
    handle: (context, { query }) => service.listSessions(context, query),
  }),
  route({
    operation: "sessions.retrieve",
    method: "GET",
    path: session,
    summary: "One session, with what it has used.",
    ...ofSessionsAndWorkers,
    params: schema.SessionParams,
    reply: schema.Session,
    handle: (context, { params }) => service.retrieveSession(context, params.session_id),
  }),
  route({
    operation: "sessions.update",
    method: "POST",
    path: session,
    summary:
      "Changes what is named of a session: title, metadata, budget, and while it is idle its tools.",
    ...ofSessions,
    params: schema.SessionParams,
    body: schema.UpdateSession,
    reply: schema.Session,
    handle: (context, { params, body }) => service.updateSession(context, params.session_id, body),
  }),
  route({
    operation: "sessions.archive",
    method: "POST",
    path: `${session}/archive`,
    summary: "Ends a session for good; it can be read as before.",
    ...ofSessions,
    params: schema.SessionParams,
    reply: schema.Session,
    handle: (context, { params }) => service.archiveSession(context, params.session_id),
  }),
  route({
    operation: "sessions.delete",
    method: "DELETE",
    path: session,
    summary: "Deletes a session with its events.",
    ...ofSessions,
    params: schema.SessionParams,
    reply: schema.DeletedSession,
    handle: (context, { params }) => service.deleteSession(context, params.session_id),
  }),
  route({
    operation: "sessions.events.send",
    method: "POST",
    path: `${session}/events`,
    summary: "Sends events to a session: all of them, or none.",
    ...ofSessionsAndWorkers,
    params: schema.SessionParams,
    body: SendEvents,
    reply: events.SentEvents,
    handle: (context, { params, body }) => sendEvents(context, params.session_id, body),
  }),
  route({
    operation: "sessions.events.list",
    method: "GET",
    path: `${session}/events`,
    summary: "Lists the events of a session, oldest first.",
    ...ofSessionsAndWorkers,
    params: schema.SessionParams,
    query: events.EventQuery,
    reply: events.EventPage,
    handle: async (context, { params, query }) => {
      const { threadId } = await expectSession(context, params.session_id);
      return listThreadEvents(context, threadId, query);
    },
  }),
  route({
    operation: "sessions.events.stream",
    method: "GET",
    path: `${session}/events/stream`,
    summary: "The events of a session as they come, from now on.",
    ...ofSessionsAndWorkers,
    params: schema.SessionParams,
    query: events.StreamQuery,
    reply: "events",
    handle: async (context, { params, query }) => {
      const { threadId } = await expectSession(context, params.session_id);
      return streamThreadEvents(context, threadId, query);
    },
  }),
  route({
    operation: "sessions.threads.list",
    method: "GET",
    path: `${session}/threads`,
    summary: "Lists the threads of a session, the first one first.",
    ...ofSessions,
    params: schema.SessionParams,
    query: threads.ThreadQuery,
    reply: threads.ThreadPage,
    handle: (context, { params, query }) =>
      threadService.listThreads(context, params.session_id, query),
  }),
  route({
    operation: "sessions.threads.retrieve",
    method: "GET",
    path: thread,
    summary: "One thread of a session.",
    ...ofSessions,
    params: events.ThreadParams,
    reply: threads.SessionThread,
    handle: (context, { params }) =>
      threadService.retrieveThread(context, params.session_id, params.thread_id),
  }),
  route({
    operation: "sessions.threads.archive",
    method: "POST",
    path: `${thread}/archive`,
    summary: "Ends a thread beside the first one.",
    ...ofSessions,
    params: events.ThreadParams,
    reply: threads.SessionThread,
    handle: (context, { params }) =>
      threadService.archiveThread(context, params.session_id, params.thread_id),
  }),
  route({
    operation: "sessions.threads.events.list",
    method: "GET",
    path: `${thread}/events`,
    summary: "Lists the events of a thread, oldest first.",
    ...ofSessions,
    params: events.ThreadParams,
    query: events.ThreadEventQuery,
    reply: events.EventPage,
    handle: async (context, { params, query }) => {
      const { id } = await threadService.expectThread(context, params.session_id, params.thread_id);
      return listThreadEvents(context, id, query);
    },
  }),
  route({
    operation: "sessions.threads.events.stream",
    method: "GET",
    path: `${thread}/stream`,
    summary: "The events of a thread as they come, from now on.",
    ...ofSessions,
    params: events.ThreadParams,
    query: events.StreamQuery,
    reply: "events",
    handle: async (context, { params, query }) => {
      const { id } = await threadService.expectThread(context, params.session_id, params.thread_id);
      return streamThreadEvents(context, id, query);
    },
  }),
  ...resourceRoutes,
  ...networkRoutes,
  ...packageRoutes,
  route({
    operation: "console.sessions.waiting",
    method: "GET",
    path: "/console/api/sessions/waiting",
    summary: "Sessions in which calls wait for a person, newest first, with those calls.",
    permission: ofSessions.permission,
    credentials: ["console"],
    query: waiting.WaitingQuery,
    reply: waiting.WaitingPage,
    handle: (context, { query }) => listWaiting(context, query),
  }),
  ...sandboxRoutes,
];

// Routes of sessions, their events, threads and resources.
import { route, type BetaRule } from "../../kernel/http/route.ts";
import { listThreadEvents } from "./events/list.ts";
import { sendEvents } from "./events/send.ts";
import { streamThreadEvents } from "./events/stream.ts";
import { SendEvents } from "./events/schema-input.ts";
import * as events from "./events/schema.ts";
import * as resources from "./resources/schema.ts";
import * as resourceService from "./resources/service.ts";
import * as schema from "./schema.ts";
import { expectSession } from "./named-session.ts";
import * as service from "./service.ts";
import * as threads from "./threads/schema.ts";
import * as threadService from "./threads/service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofSessions = { permission: "sessions:use", beta } as const;
const session = "/v1/sessions/{session_id}";
const thread = `${session}/threads/{thread_id}` as const;
const resource = `${session}/resources/{resource_id}` as const;

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
    ...ofSessions,
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
    ...ofSessions,
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
    ...ofSessions,
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
    ...ofSessions,
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
  route({
    operation: "sessions.resources.list",
    method: "GET",
    path: `${session}/resources`,
    summary: "Lists what a session is given.",
    ...ofSessions,
    params: schema.SessionParams,
    query: resources.ResourceQuery,
    reply: resources.ResourcePage,
    handle: (context, { params, query }) =>
      resourceService.listResources(context, params.session_id, query),
  }),
  route({
    operation: "sessions.resources.add",
    method: "POST",
    path: `${session}/resources`,
    summary: "Gives a file to a session.",
    ...ofSessions,
    params: schema.SessionParams,
    body: resources.FileInput,
    reply: resources.FileResource,
    handle: (context, { params, body }) =>
      resourceService.addFile(context, params.session_id, body),
  }),
  route({
    operation: "sessions.resources.retrieve",
    method: "GET",
    path: resource,
    summary: "One thing that a session is given.",
    ...ofSessions,
    params: resources.ResourceParams,
    reply: resources.SessionResource,
    handle: (context, { params }) =>
      resourceService.retrieveResource(context, params.session_id, params.resource_id),
  }),
  route({
    operation: "sessions.resources.update",
    method: "POST",
    path: resource,
    summary: "Gives a repository another token.",
    ...ofSessions,
    params: resources.ResourceParams,
    body: resources.RotateToken,
    reply: resources.SessionResource,
    handle: (context, { params, body }) =>
      resourceService.rotateToken(
        context,
        params.session_id,
        params.resource_id,
        body.authorization_token,
      ),
  }),
  route({
    operation: "sessions.resources.delete",
    method: "DELETE",
    path: resource,
    summary: "Takes something from a session.",
    ...ofSessions,
    params: resources.ResourceParams,
    reply: resources.DeletedResource,
    handle: (context, { params }) =>
      resourceService.deleteResource(context, params.session_id, params.resource_id),
  }),
];

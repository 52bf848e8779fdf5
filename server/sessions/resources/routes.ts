// Routes of what a session is given.
import { route } from "../../../kernel/http/route.ts";
import { SessionParams } from "../schema.ts";
import { ofSessions, sessionPath } from "../shapes.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const all = `${sessionPath}/resources` as const;
const one = `${all}/{resource_id}` as const;

export const routes = [
  route({
    operation: "sessions.resources.list",
    method: "GET",
    path: all,
    summary: "Lists what a session is given.",
    ...ofSessions,
    params: SessionParams,
    query: schema.ResourceQuery,
    reply: schema.ResourcePage,
    handle: (context, { params, query }) =>
      service.listResources(context, params.session_id, query),
  }),
  route({
    operation: "sessions.resources.add",
    method: "POST",
    path: all,
    summary: "Gives a file to a session.",
    ...ofSessions,
    params: SessionParams,
    body: schema.FileInput,
    reply: schema.FileResource,
    handle: (context, { params, body }) => service.addFile(context, params.session_id, body),
  }),
  route({
    operation: "sessions.resources.retrieve",
    method: "GET",
    path: one,
    summary: "One thing that a session is given.",
    ...ofSessions,
    params: schema.ResourceParams,
    reply: schema.SessionResource,
    handle: (context, { params }) =>
      service.retrieveResource(context, params.session_id, params.resource_id),
  }),
  route({
    operation: "sessions.resources.update",
    method: "POST",
    path: one,
    summary: "Gives a repository another token.",
    ...ofSessions,
    params: schema.ResourceParams,
    body: schema.RotateToken,
    reply: schema.SessionResource,
    handle: (context, { params: { session_id, resource_id }, body }) =>
      service.rotateToken(context, session_id, resource_id, body.authorization_token),
  }),
  route({
    operation: "sessions.resources.delete",
    method: "DELETE",
    path: one,
    summary: "Takes something from a session.",
    ...ofSessions,
    params: schema.ResourceParams,
    reply: schema.DeletedResource,
    handle: (context, { params }) =>
      service.deleteResource(context, params.session_id, params.resource_id),
  }),
];

// Routes of refused connections, for the console alone.
import { route } from "../../../kernel/http/route.ts";
import { EnvironmentParams } from "../../environments/module.ts";
import { SessionParams } from "../schema.ts";
import { ofSessions } from "../shapes.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "console.sessions.refused_connections",
    method: "GET",
    path: "/console/api/sessions/{session_id}/refused_connections",
    summary: "Connections of a session's sandbox that were refused, the last one first.",
    permission: ofSessions.permission,
    credentials: ["console"],
    params: SessionParams,
    reply: schema.RefusedConnections,
    handle: (context, { params }) => service.listOfSession(context, params.session_id),
  }),
  route({
    operation: "console.environments.refused_connections",
    method: "GET",
    path: "/console/api/environments/{environment_id}/refused_connections",
    summary: "Connections of an environment's sandboxes that were refused, the last one first.",
    permission: "environments:use",
    credentials: ["console"],
    params: EnvironmentParams,
    reply: schema.RefusedConnections,
    handle: (context, { params }) => service.listOfEnvironment(context, params.environment_id),
  }),
];

// Routes of the audit log.
import { route } from "../../kernel/http/route.ts";
import { AuditPage, AuditQuery } from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  route({
    operation: "console.audit.list",
    method: "GET",
    path: "/console/api/audit",
    summary: "Lists what was done in the organization, newest first.",
    permission: "audit:read",
    credentials: ["console"],
    query: AuditQuery,
    reply: AuditPage,
    handle: (context, { query }) => service.listEvents(context, query),
  }),
];

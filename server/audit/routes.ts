// Routes of the audit log.
import { route } from "../../kernel/http/route.ts";
import { exportEvents } from "./export.ts";
import * as reading from "./service-read.ts";
import * as schema from "./schema.ts";

const inConsole = { permission: "audit:read", credentials: ["console"] } as const;

export const routes = [
  route({
    operation: "audit_events.list",
    method: "GET",
    path: "/v1/organizations/audit_events",
    summary:
      "Lists what was done in the organization: newest first, or behind a number in the log's own order.",
    permission: "audit:read",
    organizations: ["platform", "enterprise"],
    query: schema.AuditEventsQuery,
    reply: schema.AuditPage,
    handle: (context, { query }) => reading.listForPrograms(context, query),
  }),
  route({
    operation: "console.audit.list",
    method: "GET",
    path: "/console/api/audit",
    summary: "Lists what was done in the organization, newest first.",
    ...inConsole,
    query: schema.AuditQuery,
    reply: schema.AuditPage,
    handle: (context, { query }) => reading.listEvents(context, query),
  }),
  route({
    operation: "console.audit.actions",
    method: "GET",
    path: "/console/api/audit/actions",
    summary: "The actions that occur in the organization's audit log.",
    ...inConsole,
    reply: schema.AuditActions,
    handle: (context) => reading.listActions(context),
  }),
  route({
    operation: "console.audit.chain",
    method: "GET",
    path: "/console/api/audit/chain",
    summary: "How far the organization's audit log was verified, and what was found.",
    ...inConsole,
    reply: schema.AuditChain,
    handle: (context) => reading.readChainStatus(context),
  }),
  route({
    operation: "console.audit.export",
    method: "GET",
    path: "/console/api/audit/export",
    summary: "The audit log as JSON lines or CSV, newest first, as far as the filters take it.",
    ...inConsole,
    query: schema.AuditExportQuery,
    reply: "bytes",
    handle: (context, { query }) => exportEvents(context, query),
  }),
];

// Routes for operators and their tools.
import { openRoute, route } from "../../kernel/http/route.ts";
import { Health, Overview, Readiness } from "./schema.ts";
import * as service from "./service.ts";

export const routes = [
  openRoute({
    operation: "operations.health",
    method: "GET",
    path: "/healthz",
    summary: "Whether the process answers.",
    reply: Health,
    handle: () => service.health(),
  }),
  openRoute({
    operation: "operations.ready",
    method: "GET",
    path: "/readyz",
    summary: "Whether the process may be sent requests: its database answers.",
    errors: [503],
    reply: Readiness,
    handle: (context) => service.readiness(context),
  }),
  openRoute({
    operation: "operations.metrics",
    method: "GET",
    path: "/metrics",
    summary: "Prometheus metrics over all processes of this server.",
    errors: [401],
    reply: "text",
    handle: (context) => service.metricsText(context),
  }),
  route({
    operation: "console.overview",
    method: "GET",
    path: "/console/api/overview",
    summary: "What runs here, in numbers.",
    permission: "organization:read",
    credentials: ["console"],
    reply: Overview,
    handle: (context) => service.overview(context),
  }),
];

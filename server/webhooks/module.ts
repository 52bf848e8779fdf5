// The face of webhooks.
export { auditEventsPart } from "./audit-events.ts";
export { emit, emitAll, type WebhookEvent } from "./deliveries/deliver.ts";
export { forgetOld, kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";
export { secretContext as signingSecretContext } from "./deliveries/signature.ts";
export { workspaceEvent, workspaceEvents, type WorkspaceEvent } from "./workspace-events.ts";
export type { WorkspaceEventType } from "./event-types.ts";
export { searchables } from "./found/queries.ts";

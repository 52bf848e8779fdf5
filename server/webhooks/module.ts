// The face of webhooks.
export { emit, type WebhookEvent } from "./deliveries.ts";
export { forgetOld, kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";

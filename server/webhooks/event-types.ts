// The events that there are: of an organization itself, and of what happens in a workspace.

/** Of the audit log: `data` names the event and its place, and holds nothing else of it. */
export const auditEventType = "audit_event.created";

export const eventTypes = [
  "alert.firing",
  "alert.resolved",
  auditEventType,
  "external_key.failed",
  "external_key.recovered",
  "user_profile.enforcement_action_opened",
  "user_profile.enforcement_action_resolved",
  "user_profile.program_status_updated",
] as const;
export type EventType = (typeof eventTypes)[number];

export const workspaceEventTypes = [
  "session.created",
  "session.pending",
  "session.running",
  "session.idled",
  "session.requires_action",
  "session.archived",
  "session.deleted",
  "session.updated",
  "session.budget_reached",
  "session.outcome_evaluation_ended",
  "session.status_run_started",
  "session.status_idled",
  "session.status_rescheduled",
  "session.status_terminated",
  "session.thread_created",
  "session.thread_idled",
  "session.thread_terminated",
  "agent.created",
  "agent.updated",
  "agent.archived",
  "agent.deleted",
  "deployment.created",
  "deployment.updated",
  "deployment.paused",
  "deployment.unpaused",
  "deployment.archived",
  "deployment.deleted",
  "deployment_run.started",
  "deployment_run.succeeded",
  "deployment_run.failed",
  "environment.created",
  "environment.updated",
  "environment.archived",
  "environment.deleted",
  "vault.created",
  "vault.archived",
  "vault.deleted",
  "vault_credential.created",
  "vault_credential.archived",
  "vault_credential.deleted",
  "vault_credential.refresh_failed",
  "memory_store.created",
  "memory_store.archived",
  "memory_store.deleted",
] as const;
export type WorkspaceEventType = (typeof workspaceEventTypes)[number];

export type AnyEventType = EventType | WorkspaceEventType;

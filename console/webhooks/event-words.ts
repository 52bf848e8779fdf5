// The events that webhooks are told of, in words: of the organization, and of what happens in a workspace.
import type * as contract from "../../contract/types.ts";

export type OwnEvent = contract.WebhookEndpoint["enabled_events"][number];
export type WorkspaceEvent = contract.WorkspaceWebhookEndpoint["enabled_events"][number];
export type EventType = OwnEvent | WorkspaceEvent;

const ownWords: Record<OwnEvent, string> = {
  "alert.firing": "An alert fires",
  "alert.resolved": "An alert is resolved",
  "audit_event.created": "An event was added to the audit log",
  "external_key.failed": "An external key stopped working",
  "external_key.recovered": "An external key works again",
  "user_profile.enforcement_action_opened": "An enforcement action on a user profile was opened",
  "user_profile.enforcement_action_resolved":
    "An enforcement action on a user profile was resolved",
  "user_profile.program_status_updated": "The program status of a user profile changed",
};

const workspaceWords: Record<WorkspaceEvent, string> = {
  "session.created": "A session was made",
  "session.pending": "A session waits to begin",
  "session.running": "A session runs",
  "session.idled": "A session has nothing more to do",
  "session.requires_action": "A session waits for an answer",
  "session.archived": "A session was archived",
  "session.deleted": "A session was deleted",
  "session.updated": "A session was changed",
  "session.budget_reached": "A session has spent its budget",
  "session.outcome_evaluation_ended": "The work on an outcome was graded",
  "session.status_run_started": "The status of a session is running",
  "session.status_idled": "The status of a session is idle",
  "session.status_rescheduled": "A session is tried again later",
  "session.status_terminated": "A session has ended for good",
  "session.thread_created": "A session gave work to another agent",
  "session.thread_idled": "Another agent of a session has nothing more to do",
  "session.thread_terminated": "The thread of another agent has ended",
  "agent.created": "An agent was made",
  "agent.updated": "An agent has a new version",
  "agent.archived": "An agent was archived",
  "agent.deleted": "An agent was deleted",
  "deployment.created": "A deployment was made",
  "deployment.updated": "A deployment was changed",
  "deployment.paused": "A deployment was paused",
  "deployment.unpaused": "A deployment goes on",
  "deployment.archived": "A deployment was archived",
  "deployment.deleted": "A deployment was deleted",
  "deployment_run.started": "A run of a deployment began",
  "deployment_run.succeeded": "A run of a deployment succeeded",
  "deployment_run.failed": "A run of a deployment failed",
  "environment.created": "An environment was made",
  "environment.updated": "An environment was changed",
  "environment.archived": "An environment was archived",
  "environment.deleted": "An environment was deleted",
  "vault.created": "A vault was made",
  "vault.archived": "A vault was archived",
  "vault.deleted": "A vault was deleted",
  "vault_credential.created": "A credential was put into a vault",
  "vault_credential.archived": "A credential of a vault was archived",
  "vault_credential.deleted": "A credential of a vault was deleted",
  "vault_credential.refresh_failed": "A credential of a vault could not be refreshed",
  "memory_store.created": "A memory store was made",
  "memory_store.archived": "A memory store was archived",
  "memory_store.deleted": "A memory store was deleted",
};

export const eventWords: Readonly<Record<EventType, string>> = { ...ownWords, ...workspaceWords };

const typesOf = <T extends string>(words: Record<T, string>) => Object.keys(words) as T[];

/** Tells of what only those may read who may read the audit log. */
export const auditEvent: OwnEvent = "audit_event.created";

/** Those that can be chosen. */
export const eventTypes = {
  organization: typesOf(ownWords),
  workspace: typesOf(workspaceWords),
} as const;

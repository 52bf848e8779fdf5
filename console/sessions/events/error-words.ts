// Errors of sessions in words: what went wrong, and which server or credential it is about.
import { spaced } from "../../kit/value/words.ts";

/** Of each type that the API has; the message of an error says more. */
export const errorTitles = {
  unknown_error: "Something failed on this server",
  model_overloaded_error: "The model is overloaded",
  model_rate_limited_error: "The model is asked too often",
  model_request_failed_error: "A request to the model failed",
  billing_error: "No more may be spent on the model",
  mcp_connection_failed_error: "An MCP server could not be reached",
  mcp_authentication_failed_error: "An MCP server refused its credential",
  credential_host_unreachable_error: "A credential cannot be used here",
  tool_use_limit_reached_error: "Tools were called as often as a turn may call them",
  compaction_limit_reached_error: "The conversation is too long for the model",
  repository_authentication_error: "A repository refused its token",
  repository_forbidden_error: "A repository may not be read with its token",
  repository_not_found_error: "A repository was not found",
  repository_checkout_error: "A branch or commit of a repository could not be checked out",
  repository_clone_error: "A repository could not be cloned",
} as const;

export const errorTitle = (type: string): string =>
  Object.hasOwn(errorTitles, type) ? errorTitles[type as keyof typeof errorTitles] : spaced(type);

export interface SessionError {
  type?: string;
  message?: string;
  retry_status?: { type?: string };
  mcp_server_name?: string;
  credential_id?: string;
  vault_id?: string;
}

interface Subject {
  name: string;
  /** That has the credential, as far as is known. */
  vault: string | undefined;
}

/** The credential of a server lies in a vault of its session: which one is clear where there is one alone. */
export function subjectOf(error: SessionError, vaults: readonly string[]): Subject | undefined {
  const { type, mcp_server_name: server, credential_id: credential, vault_id: vault } = error;
  if (credential !== undefined) return { name: credential, vault };
  if (server === undefined) return undefined;
  const isOfVault = type === "mcp_authentication_failed_error" && vaults.length === 1;
  return { name: server, vault: isOfVault ? vaults[0] : undefined };
}

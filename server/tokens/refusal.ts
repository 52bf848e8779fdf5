// Errors of the token endpoint: the words of RFC 6749 in place of this API's envelope.
import { Failure, type FailureOptions, type FailureType } from "../../kernel/base/failure.ts";
import { redactKeys } from "../../kernel/base/redact-keys.ts";
import type { Headers } from "../../kernel/http/output/reply.ts";

export type OAuthError =
  | "invalid_request"
  | "invalid_grant"
  | "invalid_client"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "authorization_pending"
  | "slow_down"
  | "access_denied"
  | "expired_token"
  | "invalid_target"
  | "unsupported_response_type"
  | "invalid_redirect_uri"
  | "invalid_client_metadata";

export interface RefusalFacts {
  status?: number;
  /** The failed check, for a person who looks for the reason. */
  reason?: string;
  /** What an administrator of the organization may see, where strangers may not. */
  detail?: string;
  organizationId?: string;
  ruleId?: string;
  subject?: string | null;
  /** For the audit log of the organization: the account or person that a token was requested for. */
  whose?: FailureOptions["whose"];
}

/** Refused by a grant: counted, and answered in OAuth's words. */
export class GrantRefusal extends Failure {
  readonly error: OAuthError;
  readonly facts: RefusalFacts;

  constructor(error: OAuthError, message: string, facts: RefusalFacts = {}) {
    const type: FailureType =
      facts.status === 401 ? "authentication_error" : "invalid_request_error";
    const { status = 400, reason, whose } = facts;
    super(type, message, {
      status,
      ...(reason !== undefined && { code: reason }),
      ...(whose !== undefined && { whose }),
    });
    this.error = error;
    this.facts = facts;
  }
}

export const noStore: Headers = { "cache-control": "no-store", pragma: "no-cache" };

/** Rule TOK6. */
export function tokenRefusal(failure: Failure) {
  return {
    headers: noStore,
    value: { error: errorOf(failure), error_description: printable(failure.message) },
  };
}

function errorOf(failure: Failure): string {
  if (failure instanceof GrantRefusal) return failure.error;
  if (failure.status === 429 || failure.status === 503) return "temporarily_unavailable";
  return failure.status >= 500 ? "server_error" : "invalid_request";
}

/** RFC 6749 allows no quotation mark, no backslash and nothing beyond ASCII in a description. */
const printable = (text: string) =>
  redactKeys(text)
    .replaceAll('"', "'")
    .replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");

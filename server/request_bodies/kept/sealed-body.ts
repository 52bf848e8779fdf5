// What is kept of a request and its answer: read, redacted, cut, and encrypted for one organization and request.
import { decode, parseJson } from "../../../kernel/http/input/body.ts";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { Secrets } from "../../../kernel/secret/secrets.ts";
import { keptJson, redactorOf } from "../redact/kept-json.ts";
import { limits } from "../limits.ts";
import type { RequestBody } from "../schema.ts";
import type { WritingRules } from "./queries.ts";

/** As it came: JSON, in bytes or as a text. */
export interface SaidBody {
  requestId: string;
  organizationId: string;
  request: Buffer;
  /** JSON. */
  answer: string | null;
  error: string | null;
  ended: NonNullable<RequestBody["ended"]>;
}

export type Opened = Pick<RequestBody, "request" | "answer" | "error" | "ended">;

/** Moved to another request or organization it does not open. */
export const bodyContext = (organizationId: string, requestId: string): string =>
  `request body ${organizationId} ${requestId}`;

export function sealBody(secrets: Secrets, said: SaidBody, rules: WritingRules): string {
  const redactor = redactorOf(rules.redact);
  const partOf = (content: Buffer | string | null): Opened["request"] => {
    if (content === null) return null;
    const bytes = Buffer.byteLength(content);
    if (bytes > limits.readBytesMax) return { text: null, is_cut: true, bytes };
    const value = typeof content === "string" ? parseExactly(content) : parseJson(decode(content));
    const { text, isCut } = keptJson(value, redactor, rules.maxBytes);
    return { text, is_cut: isCut, bytes };
  };
  const kept: Opened = {
    request: partOf(said.request),
    answer: partOf(said.answer),
    error: partOf(said.error),
    ended: said.ended,
  };
  return secrets.encrypt(JSON.stringify(kept), bodyContext(said.organizationId, said.requestId));
}

export const openBody = (
  secrets: Secrets,
  sealed: string,
  { organizationId, requestId }: { organizationId: string; requestId: string },
): Opened =>
  parseExactly(
    secrets.decrypt(sealed, bodyContext(organizationId, requestId)).toString(),
  ) as Opened;

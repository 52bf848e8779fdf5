// Signing secrets, and the headers by which a receiver knows that a delivery is from this server (Standard Webhooks).
import { createHmac } from "node:crypto";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";

const prefix = "whsec_";

export const secretContext = (endpointId: string) => `webhooks.signing_secret ${endpointId}`;

/** Rule WHK5: shown once, kept encrypted. */
export function newSigningSecret({ random, secrets }: World, endpointId: string) {
  const secret = prefix + random.bytes(limits.secretBytes).toString("base64");
  return { secret, encrypted: secrets.encrypt(secret, secretContext(endpointId)) };
}

interface Signed {
  endpoint_id: string;
  event_id: string;
  body: string;
  is_test: boolean;
  signing_secret: string;
  replaced_secret: string | null;
  replaced_secret_until: Date | null;
}

/** Rules WHK5 and WHK7: the newest secret signs first. */
export function headersOf({ clock, secrets }: World, row: Signed): Record<string, string> {
  const now = clock.now();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const sign = (encrypted: string): string => {
    const secret = secrets.decrypt(encrypted, secretContext(row.endpoint_id)).toString();
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    const signed = `${row.event_id}.${timestamp}.${row.body}`;
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  };
  const { signing_secret, replaced_secret, replaced_secret_until: until } = row;
  const isReplacedGood = replaced_secret !== null && until !== null && now < until;
  const signing = [signing_secret, ...(isReplacedGood ? [replaced_secret] : [])];
  return {
    "content-type": "application/json",
    "user-agent": "Plinth-Webhooks",
    "webhook-id": row.event_id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signing.map(sign).join(" "),
    ...(row.is_test && { "plinth-webhook-test": "true" }),
  };
}

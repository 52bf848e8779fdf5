// Signing secrets, and the headers by which a receiver knows that a delivery is from this server (Standard Webhooks).
import { createHmac } from "node:crypto";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";

const prefix = "whsec_";

const secretContext = (endpointId: string) => `webhooks.signing_secret ${endpointId}`;

/** Rule WHK5: shown once, kept encrypted. */
export function newSigningSecret({ random, secrets }: World, endpointId: string) {
  const secret = prefix + random.bytes(limits.secretBytes).toString("base64");
  return { secret, encrypted: secrets.encrypt(secret, secretContext(endpointId)) };
}

interface Signed {
  endpoint_id: string;
  event_id: string;
  body: string;
  signing_secret: string;
}

/** Rule WHK7. */
export function headersOf({ clock, secrets }: World, row: Signed): Record<string, string> {
  const secret = secrets.decrypt(row.signing_secret, secretContext(row.endpoint_id)).toString();
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  const timestamp = String(Math.floor(clock.now().getTime() / 1000));
  const signature = createHmac("sha256", key)
    .update(`${row.event_id}.${timestamp}.${row.body}`)
    .digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "Plinth-Webhooks",
    "webhook-id": row.event_id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

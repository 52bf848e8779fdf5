// Whether a webhook endpoint is told of events, and why not.
import type { Endpoint } from "./webhooks.ts";
import { Badge } from "../kit/value/badge.tsx";

export function WebhookState({ endpoint }: { endpoint: Endpoint }) {
  const { state, disabled_reason: reason } = endpoint;
  if (state === "enabled") return <Badge tone="good">Enabled</Badge>;
  return reason === "" ? <Badge>Disabled</Badge> : <Badge tone="bad">Disabled by the server</Badge>;
}

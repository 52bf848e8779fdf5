// What a deployment does at present: whether its schedule is in force, and why not.
import type { Deployment } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { pausedText } from "./deployments.ts";

export function DeploymentState({
  deployment,
  isShort = false,
}: {
  deployment: Deployment;
  /** In a list: where all is well nothing is said. */
  isShort?: boolean;
}) {
  const { archived_at: archived, status, paused_reason: reason } = deployment;
  if (archived !== null) return <Badge>Archived</Badge>;
  if (status === "paused") {
    const isBad = reason?.type === "error";
    return (
      <Badge tone={isBad ? "bad" : "warn"}>
        {isShort && !isBad ? "Paused" : pausedText(deployment)}
      </Badge>
    );
  }
  return isShort ? null : <Badge tone="good">Active</Badge>;
}

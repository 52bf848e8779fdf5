// Deployments in words for people, and what their pages read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { checkTimeZone, nextCrons, parseCron } from "../../kernel/cron/cron.ts";
import { cronInWords } from "../../kernel/cron/words.ts";
import { server, type Deployment, type DeploymentRun } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { now } from "../kit/value/time.ts";

/** As the server has them. */
export const limits = {
  nameCharactersMax: 256,
  descriptionCharactersMax: 2_048,
  cronCharactersMax: 256,
  upcomingMax: 5,
} as const;

export type Workspace = string | undefined;

export const renewDeployments = () => queryClient.invalidateQueries({ queryKey: ["deployments"] });

const perPage = 20;
const runsPerPage = 20;
/** The schedule moves by itself. */
const runsEveryMs = 15_000;

export interface RunsAsked {
  deployment?: string | undefined;
  hasError?: boolean | undefined;
  trigger?: "schedule" | "manual" | undefined;
}

export const deploymentQueries = {
  list: (workspace: Workspace, archived: boolean) =>
    infiniteQueryOptions({
      queryKey: ["deployments", workspace, "list", archived],
      queryFn: ({ pageParam: page }) =>
        server.deployments.list({
          query: { limit: perPage, page, include_archived: archived },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  one: (workspace: Workspace, deployment: string) =>
    queryOptions({
      queryKey: ["deployments", workspace, deployment, "deployment"],
      queryFn: () =>
        server.deployments.retrieve({
          params: { deployment_id: deployment },
          headers: inWorkspace(workspace),
        }),
      refetchInterval: runsEveryMs,
    }),
  runs: (workspace: Workspace, { deployment, hasError, trigger }: RunsAsked) =>
    infiniteQueryOptions({
      queryKey: ["deployments", workspace, "runs", deployment, hasError, trigger],
      queryFn: ({ pageParam: page }) =>
        server.deployment_runs.list({
          query: {
            limit: runsPerPage,
            page,
            deployment_id: deployment,
            has_error: hasError,
            trigger_type: trigger,
          },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      refetchInterval: runsEveryMs,
    }),
  missed: (workspace: Workspace, deployment: string) =>
    queryOptions({
      queryKey: ["deployments", workspace, deployment, "missed"],
      queryFn: () =>
        server.console.deployments.missed({
          params: { deployment_id: deployment },
          headers: inWorkspace(workspace),
        }),
    }),
};

/** `At 09:00, Monday to Friday` */
export const scheduleText = ({ schedule }: Pick<Deployment, "schedule">): string =>
  schedule === null ? "By hand" : cronInWords(schedule.expression);

export interface ReadSchedule {
  words?: string;
  next: Date[];
  fault?: { expression?: string; timezone?: string };
}

/** What is typed, as the server will read it. */
export function readSchedule(expression: string, timezone: string): ReadSchedule {
  const [words, wrong] = attempt(() => cronInWords(expression));
  const [, noZone] = attempt(() => checkTimeZone(timezone));
  if (words === undefined) return { next: [], fault: { expression: wrong ?? "" } };
  if (noZone !== undefined) return { words, next: [], fault: { timezone: noZone } };
  const next = nextCrons(parseCron(expression.trim()), timezone, now(), limits.upcomingMax);
  const never = "It never fires: no year has such a day in such a month.";
  return next.length === 0 ? { words, next, fault: { expression: never } } : { words, next };
}

function attempt<T>(read: () => T): [value: T | undefined, wrong: string | undefined] {
  try {
    return [read(), undefined];
  } catch (error) {
    return [undefined, error instanceof Error ? error.message : String(error)];
  }
}

const errors: Readonly<Record<string, string>> = {
  agent_archived: "The agent is archived",
  environment_archived: "The environment is archived",
  environment_not_found: "The environment is gone",
  file_not_found: "A file is gone",
  session_resource_not_found: "A memory store is gone",
  memory_store_archived: "A memory store is archived",
  skill_not_found: "A skill is gone",
  vault_not_found: "A vault is gone",
  vault_archived: "A vault is archived",
  self_hosted_resources_unsupported: "Resources in a self-hosted environment",
  workspace_archived: "The workspace is archived",
  session_rate_limited: "Too many requests",
  session_creation_rejected: "The session was refused",
  mcp_egress_blocked: "An MCP server is not reached",
  unknown: "The server failed",
};

export const errorText = (type: string): string => errors[type.replace(/_error$/, "")] ?? type;

/** Why it is paused, for people. */
export function pausedText({ paused_reason: reason }: Deployment): string | undefined {
  if (reason === null) return undefined;
  return reason.type === "manual" ? "Paused by hand" : errorText(reason.error?.type ?? "unknown");
}

export const triggerText = ({ trigger_context: trigger }: DeploymentRun): string =>
  trigger.type === "manual" ? "By hand" : "By the schedule";

/** `Mon 23 Nov, 09:00` by the wall clock of a zone. */
export function wallText(at: Date, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    ...(timeZone !== undefined && { timeZone }),
  });
  return parts.format(at);
}

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

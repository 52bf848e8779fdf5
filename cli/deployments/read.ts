// `plinth deployments list`, `show` and `next`; `plinth runs list` and `show`.
import type { Deployment, DeploymentRun } from "../../contract/types.ts";
import { checkTimeZone, nextCrons, parseCron } from "../../kernel/cron/cron.ts";
import { cronInWords } from "../../kernel/cron/words.ts";
import type { Flags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { detailsTable, formatDate, printResult } from "../print-result.ts";
import { findAgent } from "../sessions/find.ts";
import { table } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey, printPage } from "../workspace-calls.ts";
import { findDeployment } from "../find-by-name.ts";
import { nameAndId, nameIn, namesOf, type Names } from "../names.ts";
import type { DeploymentListFlags, NextFlags, RunListFlags } from "./options.ts";

export async function list(terminal: Terminal, flags: DeploymentListFlags): Promise<void> {
  const { limit, page: cursor, archived, agent, status } = flags;
  const page = await askWithApiKey(terminal, flags, async (client) => {
    const agentId = agent === undefined ? undefined : await findAgent(client, agent);
    const query = { limit, page: cursor, include_archived: archived, agent_id: agentId, status };
    return client.deployments.list({ query });
  });
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "SCHEDULE", "STATE", "NEXT", "LAST"],
    row: (deployment) => [
      deployment.id,
      escapeControls(deployment.name),
      scheduleText(deployment),
      stateText(deployment),
      deployment.status === "active" ? (deployment.schedule?.upcoming_runs_at[0] ?? "-") : "-",
      deployment.schedule?.last_run_at ?? "-",
    ],
    none: "There are no deployments here.",
  });
}

const scheduleText = ({ schedule }: Deployment): string =>
  schedule === null ? "by hand" : `${schedule.expression} ${schedule.timezone}`;

function stateText({ archived_at: archived, status, paused_reason: reason }: Deployment): string {
  if (archived !== null) return "archived";
  return status === "paused" ? `paused (${reason?.error?.type ?? "manual"})` : status;
}

export async function show(terminal: Terminal, text: string, flags: Flags): Promise<void> {
  const { found, names } = await askWithApiKey(terminal, flags, async (client) => {
    const params = { deployment_id: await findDeployment(client, text) };
    const found = await client.deployments.retrieve({ params });
    const { agent, environment_id: environment, vault_ids: vaults } = found;
    const shown = flags.json === true ? [] : [agent.id, environment, ...vaults];
    return { found, names: await namesOf(client, shown) };
  });
  printResult(terminal, flags, found, () => details(found, names));
}

function details(deployment: Deployment, names: Names): string {
  const { schedule, budget, agent } = deployment;
  const facts: [string, string][] = [
    ["id", deployment.id],
    ["name", deployment.name],
    ["description", deployment.description ?? "-"],
    ["state", stateText(deployment)],
    ["agent", `${nameAndId(names, agent.id)} version ${agent.version}`],
    ["environment", nameAndId(names, deployment.environment_id)],
    ...deployment.vault_ids.map((id): [string, string] => ["vault", nameAndId(names, id)]),
    ["schedule", scheduleText(deployment)],
    ...(schedule === null
      ? []
      : [
          ["", cronInWords(schedule.expression)] as [string, string],
          ...schedule.upcoming_runs_at.map((at): [string, string] => ["next", at]),
          ["last", schedule.last_run_at ?? "-"] as [string, string],
        ]),
    ...(budget === null
      ? []
      : [["budget", `${budget.max_list_cost.amount} cents of each session`] as [string, string]]),
    ...Object.entries(deployment.metadata).map((pair): [string, string] => [
      "metadata",
      pair.join("="),
    ]),
    ["created", deployment.created_at],
    ["changed", deployment.updated_at],
  ];
  return detailsTable(
    facts.map(([name, value]) => [name, escapeControls(value.replaceAll(/\s+/g, " "))] as const),
  );
}

export async function listRuns(terminal: Terminal, flags: RunListFlags): Promise<void> {
  const { limit, page: cursor, deployment, failed, trigger } = flags;
  const { page, names } = await askWithApiKey(terminal, flags, async (client) => {
    const id = deployment === undefined ? undefined : await findDeployment(client, deployment);
    const query = {
      limit,
      page: cursor,
      deployment_id: id,
      has_error: failed,
      trigger_type: trigger,
    };
    const page = await client.deployment_runs.list({ query });
    const isBare = flags.ids === true || flags.json === true;
    const shown = isBare ? [] : page.data.map((run) => run.deployment_id);
    return { page, names: await namesOf(client, shown) };
  });
  printPage(terminal, flags, page, {
    titles: ["ID", "DEPLOYMENT", "SESSION", "ERROR", "BEGAN", "AT"],
    row: (run) => [
      run.id,
      nameIn(names, run.deployment_id),
      run.session_id ?? "-",
      run.error?.type ?? "-",
      triggerText(run),
      run.created_at,
    ],
    none: "There are no runs here.",
  });
}

const triggerText = ({ trigger_context: trigger }: DeploymentRun): string =>
  trigger.type === "manual" ? "by hand" : `for ${trigger.scheduled_at}`;

export async function showRun(terminal: Terminal, id: string, flags: Flags): Promise<void> {
  const params = { deployment_run_id: id };
  const run = await askWithApiKey(terminal, flags, (client) =>
    client.deployment_runs.retrieve({ params }),
  );
  printResult(terminal, flags, run, () =>
    detailsTable([
      ["id", run.id],
      ["deployment", run.deployment_id],
      ["agent", `${run.agent.id} version ${run.agent.version}`],
      ["session", run.session_id ?? "-"],
      [
        "error",
        run.error === null ? "-" : escapeControls(`${run.error.type}: ${run.error.message}`),
      ],
      ["began", triggerText(run)],
      ["at", formatDate(run.created_at)],
    ]),
  );
}

/** Without a server: what an expression means, and when it fires next. */
export function next(terminal: Terminal, expression: string, flags: NextFlags): void {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { timezone = own, count } = flags;
  const { words, times } = read(expression, timezone, { count, now: terminal.clock.now() });
  if (times.length === 0)
    throw new CliError(
      `"${expression}" never fires: no year has such a day in such a month.`,
      exitCodes.usage,
    );
  const told = { expression, timezone, words, next: times.map((at) => at.toISOString()) };
  printResult(terminal, flags, told, () => {
    const rows = times.map((at) => [
      wallText(at, timezone),
      at.toISOString(),
      ...(timezone === own ? [] : [`${wallText(at, own)} yours`]),
    ]);
    return `${words}, ${timezone}\n${table(rows)}`;
  });
}

function read(expression: string, timezone: string, { count, now }: { count: number; now: Date }) {
  try {
    checkTimeZone(timezone);
    const words = cronInWords(expression);
    return { words, times: nextCrons(parseCron(expression), timezone, now, count) };
  } catch (error) {
    throw new CliError((error as Error).message, exitCodes.usage);
  }
}

const wallText = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "2-digit",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).format(at);

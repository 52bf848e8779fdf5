// `plinth deployments create`, `update`, `pause`, `unpause`, `archive` and `run`.
import type { Client } from "../../contract/client.ts";
import type { DeploymentsCreateBody, DeploymentsUpdateBody } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { metadataOf, readFields, type Fields } from "../request-body.ts";
import { findAgent } from "../sessions/find.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { findDeployment, findEnvironment, findVaults } from "../find-by-name.ts";
import type { DeploymentFlags } from "./options.ts";

export async function create(terminal: Terminal, flags: DeploymentFlags): Promise<void> {
  const given = await readFields(terminal, flags.file);
  const made = await askWithApiKey(terminal, flags, async (client) => {
    const fields = await fieldsOf(client, given, flags, false);
    for (const [field, flag] of needed)
      if (fields[field] === undefined)
        throw new CliError(
          `A deployment needs ${field}: ${flag}, or one in --file.`,
          exitCodes.usage,
        );
    // The server checks the fields, and explains errors in a sentence.
    return client.deployments.create({ body: fields as DeploymentsCreateBody });
  });
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

const needed = [
  ["name", "--name Nightly"],
  ["agent", "--agent Helper"],
  ["environment_id", "--environment python"],
  ["initial_events", '--message "Write the report."'],
] as const;

export async function update(
  terminal: Terminal,
  text: string,
  flags: DeploymentFlags,
): Promise<void> {
  const given = await readFields(terminal, flags.file);
  await askWithApiKey(terminal, flags, async (client) => {
    const params = { deployment_id: await findDeployment(client, text) };
    const fields = await fieldsOf(client, given, flags, true);
    if (Object.keys(fields).length === 0)
      throw new CliError(
        "Say what to change: --name, --agent, --environment, --message, --cron, --timezone, --no-schedule, --vault, --no-vaults, --budget, --description, --metadata or --file.",
        exitCodes.usage,
      );
    const before = await client.deployments.retrieve({ params });
    const body = withWholeSchedule(fields, before.schedule) as DeploymentsUpdateBody;
    const after = await client.deployments.update({ params, body });
    const isSame = after.updated_at === before.updated_at;
    printResult(
      terminal,
      flags,
      after,
      () => `${isSame ? "nothing changed:" : "updated"} ${after.id}\n`,
    );
  });
}

/** A schedule is replaced whole: what of it no flag says stays. */
function withWholeSchedule(
  fields: Fields,
  before: { expression: string; timezone: string } | null,
): Fields {
  const schedule = fields["schedule"] as Fields | null | undefined;
  if (schedule == null) return fields;
  const { expression, timezone = "UTC" } = before ?? {};
  return { ...fields, schedule: { expression, timezone, ...schedule } };
}

async function fieldsOf(
  client: Client,
  { status: _status, paused_reason: _reason, ...given }: Fields,
  flags: DeploymentFlags,
  isUpdate: boolean,
): Promise<Fields> {
  const { name, description, agent, environment, message, budget, vault, vaults } = flags;
  const schedule = scheduleOf(flags, isUpdate);
  return {
    ...given,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(agent !== undefined && { agent: await findAgent(client, agent) }),
    ...(environment !== undefined && {
      environment_id: await findEnvironment(client, environment),
    }),
    ...(vault !== undefined && { vault_ids: await findVaults(client, vault) }),
    ...(vaults === false && { vault_ids: [] }),
    ...(message !== undefined && {
      initial_events: message.map((text) => ({
        type: "user.message",
        content: [{ type: "text", text }],
      })),
    }),
    ...(schedule !== undefined && { schedule }),
    ...(budget !== undefined && { budget: budget === "none" ? null : budget }),
    ...metadataOf(given, flags.metadata, isUpdate),
  };
}

function scheduleOf(
  { cron, timezone, schedule }: DeploymentFlags,
  isUpdate: boolean,
): Fields | null | undefined {
  if (schedule === false) return null;
  if (cron === undefined && timezone === undefined) return undefined;
  return {
    type: "cron",
    ...(cron !== undefined && { expression: cron }),
    ...(timezone !== undefined ? { timezone } : isUpdate ? {} : { timezone: "UTC" }),
  };
}

/** One of the acts that answer the deployment. */
export async function act(
  terminal: Terminal,
  text: string,
  flags: Flags,
  verb: "pause" | "unpause",
): Promise<void> {
  const after = await askWithApiKey(terminal, flags, async (client) => {
    const params = { deployment_id: await findDeployment(client, text) };
    return client.deployments[verb]({ params });
  });
  printResult(terminal, flags, after, () => `${verb}d ${after.id}\n`);
}

export async function archive(terminal: Terminal, text: string, flags: YesFlags): Promise<void> {
  const archived = await askWithApiKey(terminal, flags, async (client) => {
    const params = { deployment_id: await findDeployment(client, text) };
    if (flags.yes !== true) {
      const { name, id } = await client.deployments.retrieve({ params });
      terminal.note(
        `${escapeControls(name)} (${id})\nIt runs no more, neither by its schedule nor by hand. That cannot be undone.\n`,
      );
      await confirm(terminal, "Archive?", "Nothing was archived.");
    }
    return client.deployments.archive({ params });
  });
  printResult(terminal, flags, archived, () => `archived ${archived.id}\n`);
}

/** Prints the session that began; ends with 1 where there is none. */
export async function run(terminal: Terminal, text: string, flags: Flags): Promise<void> {
  const made = await askWithApiKey(terminal, flags, async (client) => {
    const params = { deployment_id: await findDeployment(client, text) };
    return client.deployments.run({ params });
  });
  if (made.error === null || flags.json === true)
    printResult(terminal, flags, made, () => `${made.session_id}\n`);
  if (made.error !== null)
    throw new CliError(`No session began (${made.error.type}): ${made.error.message}`);
}

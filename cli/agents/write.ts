// `plinth agents create`, `update` and `archive`.
import type { AgentsCreateBody, AgentsUpdateBody } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { printResult } from "../print-result.ts";
import { readFields } from "../request-body.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { askWithApiKey } from "../workspace-calls.ts";
import { agentFields } from "./fields.ts";
import type { AgentFlags, VersionFlags } from "./options.ts";

export async function create(terminal: Terminal, flags: AgentFlags): Promise<void> {
  // A copy of another agent begins at version 1, whatever that one is at.
  const { version: _, ...given } = await readFields(terminal, flags.file);
  const { fields } = agentFields(given, flags);
  if (fields["name"] === undefined || fields["model"] === undefined)
    throw new CliError(
      "An agent needs a name and a model: --name Helper --model sim-large, or both in --file.",
      exitCodes.usage,
    );
  // The server checks the fields, and explains errors in a sentence.
  const body = fields as AgentsCreateBody;
  const made = await askWithApiKey(terminal, flags, (client) => client.agents.create({ body }));
  printResult(terminal, flags, made, () => `${made.id}\n`);
}

export async function update(
  terminal: Terminal,
  id: string,
  flags: AgentFlags & VersionFlags,
): Promise<void> {
  const { version: versionOfFile, ...given } = await readFields(terminal, flags.file, id);
  if (Object.keys(agentFields(given, flags).fields).length === 0)
    throw new CliError(
      "Say what to change: --name, --model, --effort, --system, --description, --tools, --skills, --metadata or --file.",
      exitCodes.usage,
    );
  const params = { agent_id: id };
  await askWithApiKey(terminal, flags, async (client) => {
    const before = await client.agents.retrieve({ params });
    const { fields, isOfVersionRead } = agentFields(given, flags, before);
    const version =
      flags.version ?? versionOfFile ?? (isOfVersionRead ? before.version : undefined);
    const body = { ...fields, ...(version !== undefined && { version }) } as AgentsUpdateBody;
    const after = await client.agents.update({ params, body });
    printResult(terminal, flags, after, () =>
      after.version === before.version
        ? `nothing changed: ${id} is at version ${after.version}\n`
        : `updated ${id} to version ${after.version}\n`,
    );
  });
}

export async function archive(terminal: Terminal, id: string, flags: YesFlags): Promise<void> {
  const params = { agent_id: id };
  if (flags.yes !== true) {
    const found = await askWithApiKey(terminal, flags, (client) =>
      client.agents.retrieve({ params }),
    );
    terminal.note(
      `${escapeControls(found.name)} (${id})\nIt can be read, and no longer changed or used. That cannot be undone.\n`,
    );
    await confirm(terminal, "Archive?", "Nothing was archived.");
  }
  const archived = await askWithApiKey(terminal, flags, (client) =>
    client.agents.archive({ params }),
  );
  printResult(terminal, flags, archived, () => `archived ${id}\n`);
}

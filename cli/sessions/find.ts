// Agents and environments, where they are named loosely: an agent by its name, the only environment.
import type { Client } from "../../contract/client.ts";
import type { Environment } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import { table } from "../table.ts";
import { CliError, exitCodes } from "../terminal.ts";

/** Anybody may call an agent as they like, but for the form of an id. */
export async function findAgent(
  client: Client,
  text: string,
  which: "open" | "also_archived" = "open",
): Promise<string> {
  if (/^agent_\w+$/.test(text)) return text;
  const found: string[] = [];
  const query = { limit: 100, ...(which === "also_archived" && { include_archived: true }) };
  for await (const { id, name } of client.pages(client.agents.list, { query }))
    if (name === text) found.push(id);
  const [id] = found;
  if (id !== undefined && found.length === 1) return id;
  throw new CliError(
    id === undefined
      ? `No agent is called ${JSON.stringify(text)}. See which there are: plinth agents list`
      : `${found.length} agents are called ${JSON.stringify(text)}. Name one by its id: ${found.join(", ")}`,
    exitCodes.usage,
  );
}

const shownMax = 10;

export async function findEnvironment(client: Client, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const found: Environment[] = [];
  const query = { limit: 100 };
  for await (const environment of client.pages(client.environments.list, { query }))
    found.push(environment);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only.id;
  if (only === undefined)
    throw new CliError(
      "A session needs an environment, and there is none here. Make one: plinth environments create --name lab",
      exitCodes.usage,
    );
  const shown = found
    .slice(0, shownMax)
    .map((one) => [`  ${one.id}`, one.config.type, escapeControls(one.name)]);
  const more = found.length > shownMax ? [["  …"]] : [];
  throw new CliError(
    `Say which environment with --environment:\n${table([...shown, ...more]).trimEnd()}`,
    exitCodes.usage,
  );
}

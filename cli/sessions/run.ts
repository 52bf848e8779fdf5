// `plinth sessions run`: a session from its beginning, or on from where it rests.
import type { Client } from "../../contract/client.ts";
import type { Session } from "../../contract/types.ts";
import { findVaults } from "../find-by-name.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { findAgent, findEnvironment } from "./find.ts";
import type { RunFlags } from "./options.ts";
import { followTurn } from "./turn.ts";

export async function run(
  terminal: Terminal,
  first: string | undefined,
  second: string | undefined,
  flags: RunFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { session: id } = flags;
  if (id !== undefined) expectOnlyText(second, flags);
  const words = id === undefined ? second : first;
  if (id === undefined && (first === undefined || words === undefined))
    throw new CliError(
      'Name an agent and say what it is to do: plinth sessions run Helper "Sum up the week."',
      exitCodes.usage,
    );
  const text = words === undefined ? undefined : await textOf(terminal, words);
  const session = await withServerErrors(client, () =>
    id === undefined
      ? begin(client, first ?? "", flags)
      : client.sessions.retrieve({ params: { session_id: id } }),
  );
  await followTurn(terminal, client, { session, text, flags, isAttended: true });
}

function expectOnlyText(second: string | undefined, flags: RunFlags): void {
  const { environment, title, budget, store, vault } = flags;
  const isNew = [second, environment, title, budget, store, vault].some(
    (value) => value !== undefined,
  );
  if (isNew)
    throw new CliError(
      "A session that is there keeps its agent, environment, stores, vaults, title and budget: with --session, say the text alone.",
      exitCodes.usage,
    );
}

export async function textOf(terminal: Terminal, words: string): Promise<string> {
  const text = words === "-" ? (await terminal.readInput()).trimEnd() : words;
  if (text.trim() !== "") return text;
  throw new CliError("There is nothing to say: the text is empty.", exitCodes.usage);
}

async function begin(client: Client, agent: string, flags: RunFlags): Promise<Session> {
  const { title, budget, store: resources, vault } = flags;
  return client.sessions.create({
    body: {
      agent: await findAgent(client, agent),
      environment_id: await findEnvironment(client, flags.environment),
      ...(title !== undefined && { title }),
      ...(budget !== undefined && { budget }),
      ...(resources !== undefined && { resources }),
      ...(vault !== undefined && { vault_ids: await findVaults(client, vault) }),
    },
  });
}

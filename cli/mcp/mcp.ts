// `plinth mcp list`, `add`, `connect`, `tools`, `call` and `remove`.
import type { Client } from "../../contract/client.ts";
import { confirm } from "../confirm.ts";
import { findMcpServer, findVaults } from "../find-by-name.ts";
import type { Flags, YesFlags } from "../options.ts";
import { escapeControls } from "../print-answer.ts";
import { formatDate, printResult } from "../print-result.ts";
import { parseFields } from "../request-body.ts";
import { listTable } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { readSecret } from "../vaults/credentials.ts";
import { askWithApiKey, printPage, type ListFlags } from "../workspace-calls.ts";

export interface AddFlags extends Flags {
  vault?: string;
  description?: string;
}

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const { limit, page: cursor } = flags;
  const query = { limit, page: cursor };
  const page = await askWithApiKey(terminal, flags, (client) => client.mcp_servers.list({ query }));
  printPage(terminal, flags, page, {
    titles: ["ID", "NAME", "STATUS", "TOOLS", "LAST CONNECTED", "ADDRESS"],
    row: ({ id, name, health, tools_count: tools, url }) => [
      id,
      escapeControls(name),
      health.status,
      tools === null ? "" : String(tools),
      health.last_connected_at === null ? "never" : formatDate(health.last_connected_at),
      escapeControls(url),
    ],
    none: "There are no MCP servers. Add one: plinth mcp add docs https://docs.example.com/mcp",
  });
}

export async function add(
  terminal: Terminal,
  { name, address: url }: { name: string; address: string },
  flags: AddFlags,
): Promise<void> {
  const { vault, description } = flags;
  const made = await askWithApiKey(terminal, flags, async (client) => {
    const [vault_id] = vault === undefined ? [] : await findVaults(client, [vault]);
    const body = {
      name,
      url,
      ...(vault_id !== undefined && { vault_id }),
      ...(description !== undefined && { description }),
    };
    return client.mcp_servers.create({ body });
  });
  printResult(terminal, flags, made, () => `${made.id}\n`);
  if (vault === undefined && flags.json !== true) await sayWhetherToConnect(terminal, flags, made);
}

async function sayWhetherToConnect(
  terminal: Terminal,
  flags: Flags,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const params = { mcp_server_id: id };
  const { status } = await askWithApiKey(terminal, flags, (client) =>
    client.mcp_servers.tools({ params }),
  );
  if (status !== "unauthorized") return;
  const word = isPlain(name) ? name : id;
  terminal.note(
    `It wants a token. Sign in there, and keep the token in a vault: ${connectLine(word)}\n`,
  );
}

const isPlain = (name: string) => /^[\w.-]+$/.test(name);
const connectLine = (server: string) =>
  `plinth mcp connect ${isPlain(server) ? server : "SERVER"} --vault VAULT`;

/** The error of a server that was asked, and the way out of one that wants a token. */
function faultIn(
  { status, error }: { status: string; error: string | null },
  server: string,
): string {
  const words = escapeControls(error ?? "");
  return status === "unauthorized" ? `${words} To sign in there: ${connectLine(server)}` : words;
}

export interface ConnectFlags extends Flags {
  vault?: string;
  clientId?: string;
  clientSecretFile?: string;
}

export async function connect(
  terminal: Terminal,
  name: string,
  flags: ConnectFlags,
): Promise<void> {
  const { vault, clientId: client_id, clientSecretFile: file } = flags;
  const client_secret = file === undefined ? undefined : await readSecret(terminal, file);
  const begun = await askWithApiKey(terminal, flags, async (client) => {
    const params = { mcp_server_id: await findByAddress(client, name) };
    if (vault === undefined) await expectVault(client, params);
    const [vault_id] = vault === undefined ? [] : await findVaults(client, [vault]);
    const body = {
      ...(vault_id !== undefined && { vault_id }),
      ...(client_id !== undefined && { client_id }),
      ...(client_secret !== undefined && { client_secret }),
    };
    return client.mcp_servers.connect({ params, body });
  });
  terminal.note(`Open this address in a browser, and sign in:\n${begun.authorization_url}\n`);
  const params = { mcp_server_id: begun.mcp_server_id, connection_id: begun.id };
  let now = begun;
  // The server ends it after ten minutes.
  while (now.status === "pending") {
    await terminal.clock.sleep(lookEveryMs);
    now = await askWithApiKey(terminal, flags, (client) =>
      client.mcp_servers.finish_connection({ params }),
    );
  }
  if (now.status === "failed") throw new CliError(escapeControls(now.error ?? ""));
  printResult(terminal, flags, now, () => `connected: ${now.credential_id} in ${now.vault_id}\n`);
}
const lookEveryMs = 2_000;

async function expectVault(client: Client, params: { mcp_server_id: string }): Promise<void> {
  const { name, vault_id: vault } = await client.mcp_servers.retrieve({ params });
  if (vault !== null) return;
  throw new CliError(
    `${escapeControls(name)} has no vault yet: say with --vault which one its token goes into. See which there are: plinth vaults list; make one: plinth vaults create --name NAME`,
    exitCodes.usage,
  );
}

async function findByAddress(client: Client, text: string): Promise<string> {
  if (!/^https?:/.test(text)) return findMcpServer(client, text);
  const query = { limit: 100 };
  for await (const { id, url } of client.pages(client.mcp_servers.list, { query }))
    if (url === text) return id;
  throw new CliError(
    `No MCP server of the workspace has the address ${JSON.stringify(text)}. Add it first: plinth mcp add NAME ${text}`,
    exitCodes.usage,
  );
}

export async function tools(terminal: Terminal, name: string, flags: Flags): Promise<void> {
  const found = await asked(terminal, flags, name, (client, params) =>
    client.mcp_servers.tools({ params }),
  );
  printResult(terminal, flags, found, () =>
    found.tools.length === 0
      ? ""
      : listTable(
          terminal,
          ["TOOL", "DESCRIPTION"],
          found.tools.map((tool) => [
            escapeControls(tool.name),
            escapeControls(tool.description.split("\n")[0] ?? ""),
          ]),
        ),
  );
  if (found.status !== "connected") throw new CliError(faultIn(found, name));
  if (flags.json === true) return;
  const { added, changed, removed } = found.changes ?? { added: [], changed: [], removed: [] };
  for (const [word, names] of [
    ["new", added],
    ["changed", changed],
    ["gone", removed],
  ] as const)
    if (names.length > 0) terminal.note(`${word}: ${escapeControls(names.join(", "))}\n`);
  if (found.has_more) terminal.note("It has more tools than are shown.\n");
}

export async function call(
  terminal: Terminal,
  { name, tool, input = "{}" }: { name: string; tool: string; input: string | undefined },
  flags: Flags,
): Promise<void> {
  const isPiped = input === "-";
  const text = isPiped ? await terminal.readInput() : input;
  const given = parseFields(text, isPiped ? "standard input" : "the input");
  const body = { name: tool, arguments: given };
  const result = await asked(terminal, flags, name, (client, params) =>
    client.mcp_servers.call({ params, body }),
  );
  printResult(terminal, flags, result, () =>
    result.content
      .map((block) =>
        block.type === "text"
          ? `${escapeControls(block.text)}\n`
          : `[A picture of the type ${block.source.media_type}: see it with --json]\n`,
      )
      .join(""),
  );
  const ending = result.may_have_run ? "The tool may have run." : "The tool was not run.";
  if (result.status !== "connected") throw new CliError(`${ending} ${faultIn(result, name)}`);
  if (result.is_error) throw new CliError("The tool says that it failed.");
}

export async function remove(terminal: Terminal, name: string, flags: YesFlags): Promise<void> {
  if (flags.yes !== true) {
    terminal.note(
      `${escapeControls(name)}\nAgents that name its address keep it. What was seen of it is lost.\n`,
    );
    await confirm(terminal, "Remove?", "Nothing was removed.");
  }
  const gone = await asked(terminal, flags, name, (client, params) =>
    client.mcp_servers.delete({ params }),
  );
  printResult(terminal, flags, gone, () => `removed ${gone.id}\n`);
}

const asked = <T>(
  terminal: Terminal,
  flags: Flags,
  name: string,
  question: (client: Client, params: { mcp_server_id: string }) => Promise<T>,
): Promise<T> =>
  askWithApiKey(terminal, flags, async (client) =>
    question(client, { mcp_server_id: await findMcpServer(client, name) }),
  );

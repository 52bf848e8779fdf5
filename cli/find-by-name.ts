// Deployments, environments, MCP servers and vaults, where they are named loosely: by their names.
import type { Client } from "../contract/client.ts";
import { CliError, exitCodes } from "./terminal.ts";

export const findDeployment = (client: Client, text: string): Promise<string> =>
  find(text, "deployment", /^depl_\w+$/, (query) =>
    client.pages(client.deployments.list, { query }),
  );

export const findEnvironment = (client: Client, text: string): Promise<string> =>
  find(text, "environment", /^env_\w+$/, (query) =>
    client.pages(client.environments.list, { query }),
  );

export const findMcpServer = (client: Client, text: string): Promise<string> =>
  find(text, "MCP server", /^mcpsrv_\w+$/, (query) =>
    client.pages(client.mcp_servers.list, { query }),
  );

/** Each in its turn: one that is not found is told alone. */
export async function findVaults(client: Client, texts: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const text of texts)
    ids.push(
      await find(text, "vault", /^vlt_\w+$/, (query) =>
        client.pages(client.vaults.list, { query }),
      ),
    );
  return ids;
}

type Named = AsyncIterable<{ id: string; name: string } | { id: string; display_name: string }>;

async function find(
  text: string,
  noun: string,
  id: RegExp,
  list: (query: { limit: number }) => Named,
): Promise<string> {
  if (id.test(text)) return text;
  const found: string[] = [];
  for await (const each of list({ limit: 100 }))
    if (("name" in each ? each.name : each.display_name) === text) found.push(each.id);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw new CliError(
    first === undefined
      ? `No ${noun} is called ${JSON.stringify(text)}. See which there are: plinth ${noun === "MCP server" ? "mcp" : `${noun}s`} list`
      : `${found.length} ${noun}s are called ${JSON.stringify(text)}. Name one by its id: ${found.join(", ")}`,
    exitCodes.usage,
  );
}

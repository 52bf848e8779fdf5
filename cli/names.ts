// Names for ids, from the objects and lists that have them: for people, who know names.
import { ApiError, type Client } from "../contract/client.ts";
import { escapeControls } from "./print-answer.ts";

interface Named {
  id: string;
  name: string;
}

interface NameSource {
  one(id: string): Promise<Named>;
  /** Where one by one would be too many calls. */
  all(): AsyncIterable<Named>;
}

const pageRows = 1_000;
/** Of so few each is asked for by its id; of more the list is read until all were found. */
const singlyMax = 4;

/** What is not on the map has no name that this caller may see: its id stands for it. */
export type Names = ReadonlyMap<string, string>;

export async function namesOf(client: Client, ids: Iterable<string | null>): Promise<Names> {
  const wanted = new Set([...ids].filter((id) => id !== null));
  const names = new Map<string, string>();
  await Promise.all(
    Object.entries(sourcesOf(client)).map(([prefix, source]) =>
      findNames(source, new Set([...wanted].filter((id) => id.startsWith(prefix))), names),
    ),
  );
  return names;
}

/** The name, where there is one; what else could stand in its place is an id. */
export const nameIn = (names: Names, id: string): string => escapeControls(names.get(id) ?? id);

/** Both, for a place where there is room for both. */
export function nameAndId(names: Names, id: string): string {
  const name = names.get(id);
  return name === undefined ? id : `${escapeControls(name)} (${id})`;
}

async function findNames(
  source: NameSource,
  wanted: Set<string>,
  names: Map<string, string>,
): Promise<void> {
  const note = ({ id, name }: Named) => {
    if (wanted.delete(id) && name !== "") names.set(id, name);
  };
  if (wanted.size <= singlyMax) {
    const asked = [...wanted].map((id) => unlessHidden(async () => note(await source.one(id))));
    return void (await Promise.all(asked));
  }
  await unlessHidden(async () => {
    for await (const each of source.all()) {
      note(each);
      if (wanted.size === 0) return;
    }
  });
}

/** A caller who may not read names sees ids. */
async function unlessHidden(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof ApiError && [400, 401, 403, 404].includes(error.status))) throw error;
  }
}

function sourcesOf(client: Client): Record<string, NameSource> {
  const limit = pageRows;
  const ofWorkspace = { limit: 100, include_archived: true };
  return {
    wrkspc_: {
      one: (id) => client.workspaces.retrieve({ params: { workspace_id: id } }),
      all: () =>
        client.pages(client.workspaces.list, {
          query: { limit, include_archived: true, include_default: true },
        }),
    },
    apikey_: {
      one: (id) => client.api_keys.retrieve({ params: { api_key_id: id } }),
      all: () => client.pages(client.api_keys.list, { query: { limit } }),
    },
    svac_: {
      one: (id) => client.service_accounts.retrieve({ params: { service_account_id: id } }),
      all: () =>
        client.pages(client.service_accounts.list, { query: { limit, include_archived: true } }),
    },
    user_: {
      one: async (id) => emailOf(await client.users.retrieve({ params: { user_id: id } })),
      all: () => emailsOf(client.pages(client.users.list, { query: { limit } })),
    },
    env_: {
      one: (id) => client.environments.retrieve({ params: { environment_id: id } }),
      all: () => client.pages(client.environments.list, { query: ofWorkspace }),
    },
    agent_: {
      one: (id) => client.agents.retrieve({ params: { agent_id: id } }),
      all: () => client.pages(client.agents.list, { query: ofWorkspace }),
    },
    depl_: {
      one: (id) => client.deployments.retrieve({ params: { deployment_id: id } }),
      all: () => client.pages(client.deployments.list, { query: ofWorkspace }),
    },
    vlt_: {
      one: async (id) => shownOf(await client.vaults.retrieve({ params: { vault_id: id } })),
      all: () => shownNames(client.pages(client.vaults.list, { query: ofWorkspace })),
    },
  };
}

/** Of people the address: commands take it in place of the id. */
const emailOf = ({ id, email }: { id: string; email: string }): Named => ({ id, name: email });
const shownOf = (vault: { id: string; display_name: string }): Named => ({
  id: vault.id,
  name: vault.display_name,
});

async function* emailsOf(users: AsyncIterable<{ id: string; email: string }>) {
  for await (const user of users) yield emailOf(user);
}

async function* shownNames(vaults: AsyncIterable<{ id: string; display_name: string }>) {
  for await (const vault of vaults) yield shownOf(vault);
}

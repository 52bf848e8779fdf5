// What the tests of a worker's memory stores share: stores, and sessions of a self-hosted environment that have them.
import type { House } from "../house.ts";
import {
  type Memory,
  memoryOf,
  type Page,
  type Store,
  type Version,
} from "../rules/memory-house.ts";
import type { Hosted } from "../rules/environments-work-house.ts";
import { computer, said, type SessionCalls } from "../rules/sessions-house.ts";

export function storesOf(houseOf: () => House, sessions: SessionCalls) {
  const memory = memoryOf(houseOf);
  return {
    make: (name: string) => memory.good<Store>("POST", "", { body: { name } }),
    add: ({ id }: Store, path: string, content: string) =>
      memory.good<Memory>("POST", `/${id}/memories`, { body: { path, content } }),
    change: ({ id }: Store, { id: memoryId }: Memory, content: string) =>
      memory.good<Memory>("POST", `/${id}/memories/${memoryId}`, { body: { content } }),
    remove: ({ id }: Store, { id: memoryId }: Memory) =>
      memory.good("DELETE", `/${id}/memories/${memoryId}`),
    archive: ({ id }: Store) => memory.good("POST", `/${id}/archive`),
    destroy: ({ id }: Store) => memory.good("DELETE", `/${id}`),
    texts: async ({ id }: Store): Promise<Record<string, string | null>> => {
      const { data } = await memory.good<Page<Memory>>("GET", `/${id}/memories?view=full`);
      return Object.fromEntries(data.map(({ path, content }) => [path, content]));
    },
    count: async ({ id }: Store) => (await memory.good<Store>("GET", `/${id}`)).memory_count,
    versions: async ({ id }: Store): Promise<Version[]> =>
      (await memory.good<Page<Version>>("GET", `/${id}/memory_versions`)).data,
    /** A session that has these stores, and calls these tools; `$M` of a call is where its stores lie. */
    sessionWith: async (
      { id }: Pick<Hosted, "id">,
      stores: readonly { store: Store; access?: "read_only" }[],
      calls: string,
    ): Promise<string> => {
      const agent = await sessions.agent({ tools: [computer()] });
      const session = await sessions.begin({
        agent: agent.id,
        environment_id: id,
        resources: stores.map(({ store, access }) => ({
          type: "memory_store",
          memory_store_id: store.id,
          ...(access !== undefined && { access }),
        })),
        initial_events: [said(`[[tools ${calls}]]`)],
      });
      return session.id;
    },
  };
}

/** A call of the shell that stands where the stores of its session lie. */
export const inStores = (command: string) =>
  `bash ${JSON.stringify({ command: `cd /mnt/memory/*/ && { ${command}\n}` })}`;

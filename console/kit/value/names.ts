// Names of what has an id, also of people who left and of what is archived: asked for together, and remembered.
import { api, server, type Lifecycle } from "../server/api.ts";
import { queries, queryClient, useMe } from "../server/queries.ts";
import { sharedState } from "../server/shared-state.ts";
import { useShared } from "../server/use-shared.ts";
import { inWorkspace } from "../server/workspace.ts";
import { now } from "./time.ts";

export type NamedKind =
  | "person"
  | "key"
  | "account"
  | "workspace"
  | "model"
  | "store"
  | "file"
  | "agent"
  | "environment"
  | "deployment"
  | "skill";

interface Kind {
  /** How its ids begin; those of models begin like any word. */
  prefix?: string;
  /** Without it the server would refuse. */
  permission?: string;
  read: (ids: string[]) => Promise<(readonly [id: string, name: string])[]>;
}

const idsPerAsk = 100;
/** One request each. */
const askedWorkspacesMax = 10;
const lifecycles: Lifecycle[] = ["active", "deprecated", "retired"];

const kinds: Record<NamedKind, Kind> = {
  person: {
    prefix: "user_",
    read: async (ids) => {
      const { data } = await api.people({ query: { ids } });
      return data.map(({ id, name, removed_at: left }) => [
        id,
        left === null ? name : `${name} (left)`,
      ]);
    },
  },
  key: {
    prefix: "apikey_",
    permission: "api_keys:read",
    read: async (id) => named((await api.keys.list({ query: { id, limit: idsPerAsk } })).data),
  },
  account: {
    prefix: "svac_",
    permission: "service_accounts:read",
    read: async () => {
      const query = { limit: 1_000, include_archived: true };
      return named((await server.service_accounts.list({ query })).data);
    },
  },
  workspace: {
    prefix: "wrkspc_",
    permission: "workspaces:read",
    read: async () => {
      const query = { limit: 200, include_archived: true, include_default: true };
      return named(await Array.fromAsync(server.pages(api.workspaces.list, { query })));
    },
  },
  store: {
    prefix: "memstore_",
    permission: "memory:use",
    read: (ids) => namesOfNewest(ids, server.memory_stores.list),
  },
  file: {
    prefix: "file_",
    permission: "files:use",
    read: (ids) =>
      inOwnWorkspaces(ids, async (headers) => {
        const { data } = await server.files.list({ query: { limit: 1_000 }, headers });
        return data.map(({ id, filename }) => [id, filename] as const);
      }),
  },
  agent: {
    prefix: "agent_",
    permission: "agents:use",
    read: (ids) => namesOfNewest(ids, server.agents.list),
  },
  environment: {
    prefix: "env_",
    permission: "environments:use",
    read: (ids) => namesOfNewest(ids, server.environments.list),
  },
  deployment: {
    prefix: "depl_",
    permission: "deployments:use",
    read: (ids) => namesOfNewest(ids, server.deployments.list),
  },
  skill: {
    prefix: "skill_",
    permission: "skills:use",
    read: (ids) =>
      inOwnWorkspaces(ids, async (headers) => {
        const { data } = await server.skills.list({ query: { limit: 100 }, headers });
        return data.map(({ id, display_name: name }) => [id, name] as const);
      }),
  },
  model: {
    permission: "models:read",
    read: async () => {
      const query = { limit: 1_000, lifecycle: [...lifecycles] };
      const { data } = await server.models.list({ query });
      return data.map(({ id, display_name: name }) => [id, name]);
    },
  },
};

const named = (all: readonly { id: string; name: string }[]) =>
  all.map(({ id, name }) => [id, name] as const);

type Names = (readonly [id: string, name: string])[];

/** An id does not tell its workspace: the person's are read, the newest of each, until all ids have names. */
async function inOwnWorkspaces(
  ids: readonly string[],
  read: (headers: Record<string, string>) => Promise<Names>,
): Promise<Names> {
  const { workspaces } = queryClient.getQueryData(queries.me.queryKey) ?? { workspaces: [] };
  const found: Names = [];
  for (const { id } of workspaces.slice(0, askedWorkspacesMax)) {
    found.push(...(await read(inWorkspace(id))).filter(([one]) => ids.includes(one)));
    if (found.length === ids.length) break;
  }
  return found;
}

type ListNewest = (asking: {
  query: { limit: number; include_archived: boolean };
  headers: Record<string, string>;
}) => Promise<{ data: readonly { id: string; name: string }[] }>;

const namesOfNewest = (ids: readonly string[], list: ListNewest): Promise<Names> =>
  inOwnWorkspaces(ids, async (headers) => {
    const query = { limit: 100, include_archived: true };
    return named((await list({ query, headers })).data);
  });

const kindOf = (id: string): NamedKind | undefined =>
  (Object.keys(kinds) as NamedKind[]).find((kind) => {
    const { prefix } = kinds[kind];
    return prefix !== undefined && id.startsWith(prefix);
  });

interface Known {
  /** Null: nothing of that id. */
  name: string | null;
  atMs: number;
}

const staleMs = 60_000;
const known = sharedState<ReadonlyMap<string, Known>>(new Map());
/** Of the kinds that are being asked for. */
const wanted = new Map<NamedKind, Set<string>>();

async function ask(kind: NamedKind, ids: Set<string>): Promise<void> {
  while (ids.size > 0) {
    const some = [...ids].slice(0, idsPerAsk);
    const found = await kinds[kind].read(some).catch(() => undefined);
    for (const id of some) ids.delete(id);
    // What could not be asked is asked again with the next picture.
    if (found === undefined) continue;
    const next = new Map(known.get());
    const atMs = now().getTime();
    for (const id of some) next.set(id, { name: null, atMs });
    for (const [id, name] of found) next.set(id, { name, atMs });
    known.set(next);
  }
  wanted.delete(kind);
}

/** All that one picture names is asked for at once. A name that is old stands until it is read again. */
function want(id: string, kind: NamedKind): void {
  const before = known.get().get(id);
  if (before !== undefined && now().getTime() - before.atMs < staleMs) return;
  const waiting = wanted.get(kind);
  if (waiting !== undefined) return void waiting.add(id);
  const ids = new Set([id]);
  wanted.set(kind, ids);
  queueMicrotask(() => void ask(kind, ids));
}

export type NameOf = (id: string, kind?: NamedKind) => string | undefined;

/** The name behind an id; undefined until it is known, where it has none, and for what the person may not see. */
export function useNames(): NameOf {
  const { workspaces, permissions, organization } = useMe();
  const names = useShared(known);
  return (id, kind = kindOf(id)) => {
    if (id === organization.id) return organization.name;
    if (kind === undefined) return undefined;
    const own = workspaces.find((each) => each.id === id)?.name;
    if (own !== undefined) return own;
    const { permission } = kinds[kind];
    if (permission !== undefined && !permissions.includes(permission)) return undefined;
    want(id, kind);
    return names.get(id)?.name ?? undefined;
  };
}

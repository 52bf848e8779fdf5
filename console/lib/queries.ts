// What the pages read and how long it counts as fresh. A 401 anywhere leads to the sign-in page.
import {
  infiniteQueryOptions,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import {
  api,
  ApiError,
  server,
  type KeyKind,
  type KeyStatus,
  type Lifecycle,
  type Me,
} from "./api.ts";
import type { AuditFilter } from "./audit.ts";
import { keepWork } from "./kept.ts";
import { fallbackBeta } from "./message.ts";

const rowsPerPage = 50;
const keysAtOnce = 100;
const lifecycles: Lifecycle[] = ["active", "deprecated", "retired"];

function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) goToSignIn();
}

export function goToSignIn(): void {
  keepWork();
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What the server refused stays refused; only silence and 5xx are worth a second try.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

export const queries = {
  me: queryOptions({ queryKey: ["me"], queryFn: () => api.me(), staleTime: 60_000 }),
  /** Also where the browser believes that it is offline. */
  answers: queryOptions({
    queryKey: ["answers"],
    queryFn: async () => {
      await api.me();
      return true;
    },
    retry: false,
    gcTime: 0,
    networkMode: "always",
  }),
  overview: queryOptions({
    queryKey: ["overview"],
    queryFn: () => api.overview(),
    refetchInterval: 30_000,
  }),
  models: queryOptions({
    queryKey: ["models", "list"],
    queryFn: () =>
      server.models.list({
        query: { limit: 1_000, lifecycle: lifecycles },
        headers: { "vendor-beta": fallbackBeta },
      }),
    staleTime: 60_000,
  }),
  modelEntries: queryOptions({ queryKey: ["models", "entries"], queryFn: () => api.models.list() }),
  upstreams: queryOptions({
    queryKey: ["models", "upstreams"],
    queryFn: () => api.upstreams.list(),
  }),
  upstreamHealth: queryOptions({
    queryKey: ["models", "upstreams", "health"],
    queryFn: () => api.upstreams.health(),
    staleTime: 0,
    refetchInterval: 5_000,
  }),
  /** Names of these keys, however old, and of those in the archive as well. */
  namesOfKeys: (ids: readonly string[]) =>
    queryOptions({
      queryKey: ["keys", "names of", ids],
      queryFn: () => namesOfKeys(ids),
      staleTime: 60_000,
      placeholderData: keepPreviousData,
    }),
  spendLimits: queryOptions({
    queryKey: ["limits", "spend"],
    queryFn: () => api.spend_limits.list(),
    refetchInterval: 5_000,
  }),
  rateLimits: (workspaceId: string | undefined) =>
    queryOptions({
      queryKey: ["limits", "rates", workspaceId],
      queryFn: () => api.rate_limits.list({ query: { workspace_id: workspaceId } }),
      refetchInterval: 5_000,
    }),
  signIns: queryOptions({ queryKey: ["sign_ins"], queryFn: () => api.sign_ins.list() }),
  programSignIns: queryOptions({
    queryKey: ["program_sign_ins"],
    queryFn: () => api.program_sign_ins.list(),
  }),
  myWays: queryOptions({ queryKey: ["passkeys"], queryFn: () => api.passkeys.list() }),
  singleSignOn: queryOptions({
    queryKey: ["sign_on", "connection"],
    queryFn: () => api.single_sign_on.read(),
  }),
  signInMethods: queryOptions({
    queryKey: ["sign_on", "methods"],
    queryFn: () => api.sign_in_methods(),
  }),
  strangers: queryOptions({
    queryKey: ["sign_on", "strangers"],
    queryFn: () => api.single_sign_on.strangers(),
  }),
  recentAudit: queryOptions({
    queryKey: ["audit", "recent"],
    queryFn: () => api.audit.list({ query: { limit: 6 } }),
  }),
  keys: (filter: {
    kind?: KeyKind[];
    status?: KeyStatus[];
    workspace_id?: string;
    created_by_user_id?: string;
  }) =>
    infiniteQueryOptions({
      queryKey: ["keys", filter],
      queryFn: ({ pageParam }) =>
        api.keys.list({ query: { ...filter, limit: rowsPerPage, page: pageParam } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  audit: (filter: AuditFilter) =>
    infiniteQueryOptions({
      queryKey: ["audit", "all", filter],
      queryFn: ({ pageParam }) =>
        api.audit.list({ query: { limit: rowsPerPage, page: pageParam, ...filter } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // While words are typed the list that was there stays.
      placeholderData: keepPreviousData,
    }),
  auditActions: queryOptions({
    queryKey: ["audit", "actions"],
    queryFn: () => api.audit.actions(),
  }),
  auditChain: queryOptions({ queryKey: ["audit", "chain"], queryFn: () => api.audit.chain() }),
};

async function namesOfKeys(ids: readonly string[]): Promise<Record<string, string>> {
  const parts = Array.from({ length: Math.ceil(ids.length / keysAtOnce) }, (_, part) =>
    ids.slice(part * keysAtOnce, (part + 1) * keysAtOnce),
  );
  const pages = await Promise.all(
    parts.map((id) => api.keys.list({ query: { id, limit: keysAtOnce } })),
  );
  return Object.fromEntries(pages.flatMap(({ data }) => data.map(({ id, name }) => [id, name])));
}

/** Who is here. The shell shows no page before it is known, so pages may take it for granted. */
export function useMe(): Me {
  const { data } = useQuery(queries.me);
  if (data === undefined) throw new Error("useMe outside the shell");
  return data;
}

/** The address that programs use; until the server has said it, the one in the browser's bar. */
export function useServerUrl(): string {
  const { data } = useQuery(queries.overview);
  return data?.server.public_url ?? window.location.origin;
}

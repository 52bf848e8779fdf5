// What the pages read, and how long it is fresh. A 401 leads to the sign-in page, unless something is typed.
import {
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from "@tanstack/react-query";
import { api, ApiError, speakFor, type Me } from "./api.ts";
import { forgetOthersWork } from "./kept.ts";
import { staysSignedOut } from "./signed-out.ts";

function onError(error: unknown): void {
  if (error instanceof ApiError && error.status === 401 && !staysSignedOut(error.code))
    goToSignIn();
}

export function goToSignIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/sign-in?next=${encodeURIComponent(here)}`);
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // A browser may be wrong about being offline, and who waits for nothing should be told.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      // What the server refused stays refused; only silence and 5xx are worth a second try.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

const answerMs = 5_000;

export const queries = {
  me: queryOptions({
    queryKey: ["me"],
    queryFn: async () => {
      const me = await api.me();
      speakFor(me.user.id);
      forgetOthersWork(me);
      return me;
    },
    staleTime: 60_000,
  }),
  /** Also where the browser believes that it is offline. */
  answers: queryOptions({
    queryKey: ["answers"],
    queryFn: async () => {
      // What was asked of a server that went away may never be answered nor refused.
      await api.me({ signal: AbortSignal.timeout(answerMs) });
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
  myWays: queryOptions({ queryKey: ["passkeys"], queryFn: () => api.passkeys.list() }),
};

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

// Names of keys by their ids.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";

const keysAtOnce = 100;

/** Names of these keys, however old, and of those in the archive as well. */
export const namesOfKeys = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ["keys", "names of", ids],
    queryFn: () => readNames(ids),
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });

async function readNames(ids: readonly string[]): Promise<Record<string, string>> {
  const parts = Array.from({ length: Math.ceil(ids.length / keysAtOnce) }, (_, part) =>
    ids.slice(part * keysAtOnce, (part + 1) * keysAtOnce),
  );
  const pages = await Promise.all(
    parts.map((id) => api.keys.list({ query: { id, limit: keysAtOnce } })),
  );
  return Object.fromEntries(pages.flatMap(({ data }) => data.map(({ id, name }) => [id, name])));
}

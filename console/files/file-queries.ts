// What the page of files reads.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, server, type FileInfo } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

export const filesPerPage = 50;
/** As many as one page of the API has: names are searched in these, newest first. */
export const searchedMax = 1_000;
/** A preview reads no further. */
export const previewBytesMax = 64 * 1024;
export const pictureBytesMax = 20_000_000;

export const fileQueries = {
  list: (workspace: string | undefined, limit: number) =>
    infiniteQueryOptions({
      queryKey: ["files", "list", workspace, limit],
      queryFn: ({ pageParam: after }) =>
        server.files.list({ query: { limit, after_id: after }, headers: inWorkspace(workspace) }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ has_more: isMore, last_id: last }) =>
        isMore ? (last ?? undefined) : undefined,
      // What is there already is searched at once.
      placeholderData: (before, query) =>
        limit === searchedMax && query?.queryKey[2] === workspace ? before : undefined,
    }),
  one: (workspace: string | undefined, id: string) =>
    queryOptions({
      queryKey: ["files", "one", workspace, id],
      queryFn: () =>
        server.files.retrieve_metadata({
          params: { file_id: id },
          headers: inWorkspace(workspace),
        }),
    }),
  /** Its first bytes as text. */
  text: (workspace: string | undefined, { id }: FileInfo) =>
    queryOptions({
      queryKey: ["files", "text", workspace, id],
      queryFn: async () => {
        const range = { range: `bytes=0-${previewBytesMax - 1}` };
        const response = await contentOf(workspace, id, range);
        // What is cut off in the middle of a character is left out.
        const whole = new Uint8Array(await response.arrayBuffer()).subarray(0, previewBytesMax);
        return new TextDecoder().decode(whole, { stream: true });
      },
      staleTime: Infinity,
    }),
  picture: (workspace: string | undefined, { id }: FileInfo) =>
    queryOptions({
      queryKey: ["files", "picture", workspace, id],
      queryFn: async () => (await contentOf(workspace, id)).blob(),
      staleTime: Infinity,
      gcTime: 60_000,
    }),
};

export const contentOf = (
  workspace: string | undefined,
  id: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  api.files.content({
    params: { file_id: id },
    headers: { ...inWorkspace(workspace), ...headers },
  });

export const lookAgain = () => void queryClient.invalidateQueries({ queryKey: ["files", "list"] });

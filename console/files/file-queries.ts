// What the page of files reads.
import { queryOptions } from "@tanstack/react-query";
import { api, server, type FileInfo } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

const filesPerPage = 50;
/** As many as one page of the API has: names are searched in these, newest first. */
export const searchedMax = 1_000;
/** A preview reads no further. */
export const previewBytesMax = 64 * 1024;
export const pictureBytesMax = 20_000_000;

export const fileQueries = {
  list: (workspace: string | undefined, after: string | undefined, limit = filesPerPage) =>
    queryOptions({
      queryKey: ["files", "list", workspace, after, limit],
      queryFn: () =>
        server.files.list({ query: { limit, after_id: after }, headers: inWorkspace(workspace) }),
      // The page before stays until the next one is there; not that of another workspace.
      placeholderData: (before, query) => (query?.queryKey[2] === workspace ? before : undefined),
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

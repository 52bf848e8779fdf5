// What the console reads of the files in a session's sandbox.
import { queryOptions } from "@tanstack/react-query";
import { api, type WorkspaceEntry } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Workspace } from "../session-queries.ts";
import { isPicture } from "./workspace-entries.ts";

/** Of a text that is shown, and of a picture. */
export const textBytesMax = 256 * 1024;
export const pictureBytesMax = 10_000_000;
export const bytesMaxOf = (name: string): number =>
  isPicture(name) ? pictureBytesMax : textBytesMax;

/** Apart from what else is known of the session, which is renewed at every step: each look here takes the sandbox. */
const keyOf = (workspace: Workspace, session: string) => ["session files", workspace, session];

export interface FilePlace {
  workspace: Workspace;
  session: string;
  path: string;
}

export type Preview =
  | { kind: "text"; text: string }
  | { kind: "picture"; data: Blob }
  | "too_large"
  | "no_text";

export const fileQueries = {
  directory: ({ workspace, session, path }: FilePlace) =>
    queryOptions({
      queryKey: [...keyOf(workspace, session), "directory", path],
      queryFn: () =>
        api.sessions.files.list({
          params: { session_id: session },
          query: { path },
          headers: inWorkspace(workspace),
        }),
      staleTime: 30_000,
    }),
  /** Of the entry as it was listed: one that has changed is read again. */
  preview: (place: FilePlace, { name, modified_at: at, size_bytes: size }: WorkspaceEntry) =>
    queryOptions({
      queryKey: [...keyOf(place.workspace, place.session), "preview", place.path, at, size],
      queryFn: () => readPreview(place, name),
      staleTime: Infinity,
      gcTime: 60_000,
    }),
};

export const contentOf = ({ workspace, session, path }: FilePlace): Promise<Response> =>
  api.sessions.files.content({
    params: { session_id: session },
    query: { path },
    headers: inWorkspace(workspace),
  });

async function readPreview(place: FilePlace, name: string): Promise<Preview> {
  const response = await contentOf(place);
  // What a link leads to may be larger than the link.
  if (Number(response.headers.get("content-length")) > bytesMaxOf(name)) {
    await response.body?.cancel();
    return "too_large";
  }
  if (isPicture(name)) return { kind: "picture", data: await response.blob() };
  const text = decoded(await response.arrayBuffer());
  return text === undefined ? "no_text" : { kind: "text", text };
}

function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

export const renewFiles = (workspace: Workspace, session: string) =>
  queryClient.invalidateQueries({ queryKey: keyOf(workspace, session) });

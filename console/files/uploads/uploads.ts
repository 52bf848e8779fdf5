// Files on their way to the server: a few at a time, each with how far it is; stopped and begun again one by one.
import { useCallback, useEffect, useRef, useState } from "react";
import { createClient } from "../../../contract/client.ts";
import type { FileInfo } from "../../kit/server/api.ts";
import { fileBytesMax } from "../files.ts";
import { fetchTelling } from "../../kit/server/upload.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";

export interface Upload {
  key: number;
  file: File;
  /** How long it is to stay; undefined until somebody deletes it. */
  seconds: number | undefined;
  workspace: string | undefined;
  state: "waiting" | "sending" | "done" | "failed" | "stopped";
  bytes: number;
  /** Why it failed. */
  error?: unknown;
  made?: FileInfo;
}

export interface Uploads {
  uploads: readonly Upload[];
  add: (files: readonly File[], seconds: number | undefined, workspace: string | undefined) => void;
  stop: (key: number) => void;
  retry: (key: number) => void;
  /** Takes what is over out of the list. */
  clear: () => void;
}

const atOnceMax = 3;
let lastKey = 0;

export const isOnItsWay = ({ state }: Upload): boolean =>
  state === "waiting" || state === "sending";

export function useUploads(onMade: () => void): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const patch = useCallback(
    (key: number, change: Partial<Upload>) =>
      setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each))),
    [],
  );
  useEffect(() => {
    const waiting = uploads.filter(
      ({ state, key }) => state === "waiting" && !running.current.has(key),
    );
    for (const upload of waiting.slice(0, Math.max(0, atOnceMax - running.current.size))) {
      const controller = new AbortController();
      running.current.set(upload.key, controller);
      void begin(upload, controller.signal);
    }
    async function begin(upload: Upload, signal: AbortSignal): Promise<void> {
      const show = (change: Partial<Upload>) => patch(upload.key, change);
      const end = await follow(upload, signal, show);
      running.current.delete(upload.key);
      show(end);
      onMade();
    }
  }, [uploads, patch, onMade]);
  // Nobody would see how they end.
  useEffect(() => () => running.current.forEach((controller) => controller.abort()), []);
  return {
    uploads,
    add: (files, seconds, workspace) =>
      setUploads((all) => [
        ...all,
        ...files.map((file) => begun(file, seconds, workspace, ++lastKey)),
      ]),
    stop: (key) => {
      running.current.get(key)?.abort();
      if (!running.current.has(key)) patch(key, { state: "stopped" });
    },
    retry: (key) => patch(key, { state: "waiting", bytes: 0, error: undefined }),
    clear: () => setUploads((all) => all.filter(isOnItsWay)),
  };
}

/** A file that is too large is told so before it is sent. */
function begun(
  file: File,
  seconds: Upload["seconds"],
  workspace: Upload["workspace"],
  key: number,
): Upload {
  const state = file.size > fileBytesMax ? "failed" : "waiting";
  return { key, file, seconds, workspace, state, bytes: 0 };
}

async function follow(
  { file, seconds, workspace }: Upload,
  signal: AbortSignal,
  show: (change: Partial<Upload>) => void,
): Promise<Partial<Upload>> {
  show({ state: "sending" });
  const body = new FormData();
  if (seconds !== undefined) body.append("expires_in_seconds", String(seconds));
  body.append("file", file, file.name);
  const onBytes = (bytes: number) => show({ bytes: Math.min(bytes, file.size) });
  const { files } = createClient({ baseUrl: "", fetch: fetchTelling(onBytes) });
  try {
    const made = await files.upload({ body, headers: inWorkspace(workspace), signal });
    return { state: "done", bytes: file.size, made };
  } catch (error) {
    return signal.aborted ? { state: "stopped" } : { state: "failed", error };
  }
}

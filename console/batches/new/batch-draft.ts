// A file on its way to becoming a batch: read beside the page, then sent, and stopped at any time.
import { useCallback, useEffect, useRef, useState } from "react";
import { batchLimits } from "../../../client/batches/request.ts";
import type { Batch } from "../../kit/server/api.ts";
import type { Report } from "./batch-file.ts";
import type { Asked, Told } from "./batch-file.worker.ts";
import { sendBatch } from "./batch-upload.ts";

export type Draft =
  | { step: "none" }
  | { step: "reading"; file: File; bytes: number }
  | { step: "refused"; file: File; sentence: string }
  | { step: "read"; file: File; report: Report; error?: unknown }
  | { step: "sending"; file: File; report: Report; bytes: number }
  | { step: "sent"; file: File; batch: Batch };

export interface Drafting {
  draft: Draft;
  choose(file: File): void;
  clear(): void;
  send(workspace: string | undefined): Promise<void>;
  /** Stops the sending; what was read stays. */
  stop(): void;
}

/** Blank lines may make a file longer than its body; not by this much. */
const fileBytesMax = batchLimits.bodyBytesMax * 1.25;
const gone =
  "The file can no longer be read: it was changed or moved after it was chosen. Choose it again.";

export function useBatchDraft(): Drafting {
  const [draft, setDraft] = useState<Draft>({ step: "none" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  /** What was begun before is over; of it nothing may be shown any more. */
  const begin = useCallback(() => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: Draft) => {
      if (!controller.signal.aborted) setDraft(next);
    };
    return { signal: controller.signal, show };
  }, []);

  const choose = (file: File) => {
    const { signal, show } = begin();
    if (file.size > fileBytesMax) {
      const sentence = `The file has ${file.size.toLocaleString("en")} bytes; a batch takes at most ${batchLimits.bodyBytesMax.toLocaleString("en")}. Make several files of it.`;
      return show({ step: "refused", file, sentence });
    }
    void look(file, signal, show);
    return undefined;
  };

  const send = async (workspace: string | undefined) => {
    if (draft.step !== "read") return;
    const { file, report } = draft;
    const { signal, show } = begin();
    show({ step: "sending", file, report, bytes: 0 });
    try {
      const body = await bodyOf(file, report, signal);
      if (body === undefined) return show({ step: "refused", file, sentence: gone });
      const onBytes = (bytes: number) => show({ step: "sending", file, report, bytes });
      const batch = await sendBatch({ body, workspace, signal, onBytes });
      show({ step: "sent", file, batch });
    } catch (error) {
      show({ step: "read", file, report, error });
    }
    return undefined;
  };

  const clear = () => begin().show({ step: "none" });
  const stop = () => {
    if (draft.step === "sending")
      begin().show({ step: "read", file: draft.file, report: draft.report });
  };
  return { draft, choose, clear, send, stop };
}

async function look(file: File, signal: AbortSignal, show: (draft: Draft) => void): Promise<void> {
  const onBytes = (bytes: number) => show({ step: "reading", file, bytes });
  onBytes(0);
  const told = await work({ act: "read", file }, signal, onBytes);
  if (told.type === "report") show({ step: "read", file, report: told.report });
  else show({ step: "refused", file, sentence: gone });
}

/** The body of the API is sent as it lies there. */
async function bodyOf(
  file: File,
  { form }: Report,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  if (form === "body") return file;
  const told = await work({ act: "body", file }, signal, () => undefined);
  return told.type === "body" ? told.body : undefined;
}

/** Never resolves once it was stopped. */
function work(asked: Asked, signal: AbortSignal, onBytes: (bytes: number) => void): Promise<Told> {
  const worker = new Worker(new URL("./batch-file.worker.ts", import.meta.url), { type: "module" });
  const end = () => worker.terminate();
  signal.addEventListener("abort", end, { once: true });
  return new Promise((resolve) => {
    worker.addEventListener("message", ({ data }: MessageEvent<Told>) => {
      if (data.type === "progress") return onBytes(data.bytes);
      resolve(data);
      return end();
    });
    // The code of the worker did not come.
    worker.addEventListener("error", () => resolve({ type: "gone" }));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker takes none
    worker.postMessage(asked);
  });
}

// Requests from the playground, one at a time: what has come so far, when, and how it ended.
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError, server } from "../../kit/server/api.ts";
import { queries, queryClient } from "../../kit/server/queries.ts";
import { fold, type Message } from "../../../client/messages/message.ts";
import type { StreamEvent } from "../../../contract/client.ts";
import { betasOf, type MessageRequest } from "../../messages/conversation.ts";

export interface SeenEvent {
  ms: number;
  event: StreamEvent;
}

export interface Run {
  state: "running" | "done" | "stopped" | "failed";
  request: MessageRequest;
  message: Message | undefined;
  events: readonly SeenEvent[];
  firstMs: number | undefined;
  totalMs: number | undefined;
  error: unknown;
}

export interface Runner {
  run: Run | undefined;
  /** `onEnd` is told how it ended, unless another one took its place. */
  start(request: MessageRequest, workspace: string | undefined, onEnd: (run: Run) => void): void;
  stop(): void;
  /** Nothing is shown any more, and what runs is stopped. */
  clear(): void;
}

export function useRun(): Runner {
  const [run, setRun] = useState<Run>();
  const running = useRef<AbortController>(undefined);
  // Whoever leaves the page stops what runs: nobody would read it, and it costs.
  useEffect(() => () => running.current?.abort(), []);

  const start: Runner["start"] = useCallback((request, workspace, onEnd) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    // Of an older request nothing may be shown any more.
    const show = (next: Run) => {
      if (running.current !== controller) return;
      setRun(next);
      if (next.state !== "running") onEnd(next);
    };
    void follow(request, workspace, controller.signal, show);
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  const clear = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setRun(undefined);
  }, []);
  return { run, start, stop, clear };
}

/** Shows at most one state a frame: a fast model sends thousands of events a second. */
function paced(show: (run: Run) => void) {
  let frame: number | undefined;
  return {
    later: (read: () => Run) => {
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        show(read());
      });
    },
    now: (run: Run) => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      frame = undefined;
      show(run);
    },
  };
}

async function follow(
  request: MessageRequest,
  workspace: string | undefined,
  signal: AbortSignal,
  show: (run: Run) => void,
): Promise<void> {
  const begun = performance.now();
  const since = () => performance.now() - begun;
  const events: SeenEvent[] = [];
  const pace = paced(show);
  let run: Run = {
    state: "running",
    request,
    message: undefined,
    events,
    firstMs: undefined,
    totalMs: undefined,
    error: undefined,
  };
  pace.now(run);
  try {
    for await (const event of eventsOf(request, workspace, signal)) {
      const ms = since();
      events.push({ ms, event });
      const message = fold(run.message, event);
      const isFirst = run.firstMs === undefined && event.type === "content_block_delta";
      run = { ...run, message, ...(isFirst && { firstMs: ms }) };
      pace.later(() => run);
    }
    run = { ...run, state: "done" };
  } catch (error) {
    run = signal.aborted ? { ...run, state: "stopped" } : { ...run, state: "failed", error };
    // Whether it is the session that has ended, the question who is here says: it leads to the sign-in page then.
    if (error instanceof ApiError && error.status === 401)
      void queryClient.refetchQueries({ queryKey: queries.me.queryKey });
  }
  pace.now({ ...run, events: [...events], totalMs: since() });
}

/** An answer in one piece is one event. */
async function* eventsOf(
  request: MessageRequest,
  workspace: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, undefined> {
  const betas = betasOf(request);
  const headers = {
    ...(betas.length > 0 && { "vendor-beta": betas.join(",") }),
    ...(workspace !== undefined && { "anthropic-workspace-id": workspace }),
  };
  type Body = Parameters<typeof server.messages.create>[0]["body"];
  // The server judges every field; here they are as free as the form.
  const body = request as unknown as Body;
  if (request.stream === true)
    yield* await server.messages.create({ body: { ...body, stream: true }, headers, signal });
  else {
    const message = await server.messages.create({ body, headers, signal });
    yield { type: "message_start", message };
  }
}

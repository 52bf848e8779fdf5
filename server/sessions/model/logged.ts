// What a session asks of a model or a tool, told to the request log.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import type { RequestNotes } from "../../../kernel/base/request-notes.ts";
import type { Principal, World } from "../../../kernel/context.ts";
import { toFailure } from "../../../kernel/http/output/envelope.ts";
import { requestLogOf } from "../../requests/module.ts";

interface Asked {
  requestId: string;
  notes: RequestNotes;
  who: Principal;
  sessionId: string | null;
  operation: "sessions.turn" | "sessions.tool_call";
  tool: string | null;
  signal: AbortSignal;
}

export async function logged<T>(
  world: World,
  { signal, tool, ...asked }: Asked,
  work: () => Promise<T>,
): Promise<T> {
  const { clock } = world;
  const startMs = clock.monotonicMs();
  let failure: Failure | undefined;
  try {
    return await work();
  } catch (error) {
    failure = signal.aborted ? interrupted : toFailure(error);
    throw error;
  } finally {
    requestLogOf(world).note({
      ...asked,
      origin: "session",
      method: null,
      path: tool,
      status: failure?.status ?? 200,
      failure,
      startMs,
      endMs: clock.monotonicMs(),
    });
  }
}

/** By the user, by another process, or by the stop of this one. */
const interrupted = invalid("It was interrupted.", { status: 499 });

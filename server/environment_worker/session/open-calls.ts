// The calls of a session, by its events: which wait for this worker, and whether the session rests.
import type { StreamEvent } from "../../../contract/client.ts";
import type { ToolInput } from "../../sandboxes/module.ts";

export interface OpenCall {
  id: string;
  name: string;
  input: ToolInput;
}

interface KnownCall extends OpenCall {
  isAllowed: boolean;
}

export type SessionEnd = "terminated" | "deleted";

/** Events may come twice, and those of a list before or after the same ones of a stream. */
export function makeOpenCalls(tools: readonly string[]) {
  const waiting = new Map<string, KnownCall>();
  const answered = new Set<string>();
  /** Words that came before their calls did. */
  const allowed = new Set<string>();
  let isRunning = true;
  let end: SessionEnd | undefined;

  const answer = (id: unknown): void => {
    if (typeof id !== "string") return;
    answered.add(id);
    waiting.delete(id);
  };

  const addCall = (event: StreamEvent): void => {
    const { id, name, input, evaluated_permission: permission = "allow" } = event;
    if (typeof id !== "string" || typeof name !== "string" || answered.has(id)) return;
    if (!tools.includes(name) || permission === "deny") return;
    const isAllowed = permission === "allow" || allowed.has(id);
    waiting.set(id, { id, name, input: (input ?? {}) as ToolInput, isAllowed });
  };

  const confirm = ({ tool_use_id: id, result }: StreamEvent): void => {
    if (typeof id !== "string") return;
    if (result !== "allow") return answer(id);
    allowed.add(id);
    const call = waiting.get(id);
    if (call !== undefined) call.isAllowed = true;
  };

  return {
    take(event: StreamEvent): void {
      switch (event.type) {
        case "agent.tool_use":
          return addCall(event);
        case "user.tool_confirmation":
          return confirm(event);
        case "user.tool_result":
        case "agent.tool_result":
          return answer(event["tool_use_id"]);
        case "session.status_idle":
          isRunning = false;
          return;
        case "session.status_running":
        case "session.status_rescheduled":
          isRunning = true;
          return;
        case "session.status_terminated":
          end = "terminated";
          return;
        case "session.deleted":
          end = "deleted";
      }
    },
    /** The first that may be run now. */
    next: (): OpenCall | undefined => [...waiting.values()].find(({ isAllowed }) => isAllowed),
    answer,
    /** A status follows each answer: until it comes, the session does not rest. */
    sent: () => void (isRunning = true),
    isAnswered: (id: string): boolean => answered.has(id),
    /** Nothing happens in it by itself; what waits, if anything, waits for a person. */
    get rests(): boolean {
      return !isRunning;
    },
    get end(): SessionEnd | undefined {
      return end;
    },
  };
}

export type OpenCalls = ReturnType<typeof makeOpenCalls>;

/** What a list is asked for; a stream tells more. */
export const readTypes = [
  "agent.tool_use",
  "agent.tool_result",
  "user.tool_confirmation",
  "user.tool_result",
  "session.status_idle",
  "session.status_running",
  "session.status_rescheduled",
  "session.status_terminated",
] as const;

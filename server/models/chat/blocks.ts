// Blocks of a message out of deltas that may interleave: one is open at a time, the others wait behind it.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { StreamEvent } from "../types.ts";
import { upstreamLimits as limits } from "../upstreams/limits.ts";
import { callBlock, callIdOf, inputOf, type ReplyToolCall } from "./reply.ts";

/** A block that is being built: what has come for it and has not gone out. */
interface Segment {
  kind: "thinking" | "text" | "tool_use";
  /** Tool calls only: the upstream's number, id and name, and all of its arguments. */
  call: ReplyToolCall | undefined;
  pending: string;
  state: "waiting" | "open" | "closed";
}

export interface BlockQueue {
  add(kind: "thinking" | "text", text: string): void;
  addCall(call: ReplyToolCall): void;
  /** What may go out now; at the end everything, and unless the answer was cut each call must be whole. */
  flush(end: "going on" | "whole" | "cut"): StreamEvent[];
  hasCalls(): boolean;
}

export function blockQueue(requestId: string): BlockQueue {
  /** Segments that are not closed, in the order of their first delta. */
  const queue: Segment[] = [];
  const calls: Segment[] = [];
  let opened = 0;
  const used = new Set<string>();
  const idOf = (call: ReplyToolCall | undefined) =>
    callIdOf(call?.id ?? "", used, { requestId, index: opened });
  const append = (kind: Segment["kind"], call: ReplyToolCall | undefined): Segment => {
    const segment: Segment = { kind, call, pending: "", state: "waiting" };
    queue.push(segment);
    return segment;
  };

  return {
    hasCalls: () => calls.length > 0,
    add: (kind, text) => {
      const last = queue.at(-1);
      (last?.kind === kind ? last : append(kind, undefined)).pending += text;
    },
    addCall: (call) => {
      const known = segmentOf(calls, call);
      if (known?.call !== undefined) {
        if (known.state === "closed" && call.arguments.trim() !== "")
          throw broken("goes on after its end");
        if (known.call.arguments.length > limits.replyBytesMax) throw broken("has no end");
        known.call.id ||= call.id;
        known.call.name ||= call.name;
        known.call.arguments += call.arguments;
        known.pending += call.arguments;
        return;
      }
      const segment = append("tool_use", { ...call });
      segment.pending = call.arguments;
      calls.push(segment);
    },
    flush: (end) => {
      const isLast = end !== "going on";
      // No client may run a tool with half of the arguments.
      if (isLast) for (const { call } of calls) inputOf(call?.arguments ?? "", end === "cut");
      const events: StreamEvent[] = [];
      for (let head = queue[0]; head !== undefined; head = queue[0]) {
        if (head.state === "waiting") {
          if (head.call?.name === "" && isLast) throw broken("has no name");
          if (head.call?.name === "") break;
          events.push(blockStart(head, opened, () => idOf(head.call)));
          head.state = "open";
          opened++;
        }
        const index = opened - 1;
        if (head.pending !== "") events.push(blockDelta(head, index));
        head.pending = "";
        if (!isLast && (queue.length === 1 || !isComplete(head))) break;
        events.push({ type: "content_block_stop", index });
        head.state = "closed";
        queue.shift();
      }
      return events;
    },
  };
}

const broken = (how: string) =>
  new Failure("api_error", `The upstream sent a tool call that ${how}.`);

/** Servers number calls, or give each an id, or do either badly: all calls 0, but each with its own id and name. */
function segmentOf(calls: readonly Segment[], call: ReplyToolCall): Segment | undefined {
  const isOther = (known: Segment) =>
    call.id !== "" && call.name !== "" && known.call?.id !== "" && known.call?.id !== call.id;
  if (call.index !== undefined) {
    const known = calls.findLast((segment) => segment.call?.index === call.index);
    return known === undefined || isOther(known) ? undefined : known;
  }
  if (call.id !== "") return calls.find((segment) => segment.call?.id === call.id);
  return call.name === "" ? calls.at(-1) : undefined;
}

/** An object in JSON closes itself: what parses is whole. Only asked when something waits behind it. */
function isComplete({ kind, call }: Segment): boolean {
  if (kind !== "tool_use") return true;
  try {
    parseShallow(call?.arguments ?? "");
    return true;
  } catch {
    return false;
  }
}

function blockStart(segment: Segment, index: number, newId: () => string): StreamEvent {
  const block =
    segment.kind === "text"
      ? { type: "text", text: "", citations: null }
      : segment.kind === "thinking"
        ? { type: "thinking", thinking: "", signature: "" }
        : callBlock(newId(), segment.call?.name ?? "", {});
  return { type: "content_block_start", index, content_block: block };
}

function blockDelta({ kind, pending }: Segment, index: number): StreamEvent {
  const delta =
    kind === "text"
      ? { type: "text_delta", text: pending }
      : kind === "thinking"
        ? { type: "thinking_delta", thinking: pending }
        : { type: "input_json_delta", partial_json: pending };
  return { type: "content_block_delta", index, delta };
}

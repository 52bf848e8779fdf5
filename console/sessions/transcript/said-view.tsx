// What was said: by people, by the agent, between agents; and what is being written.
import { ArrowLeftRight, Brain, Goal } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import type { SessionEvent } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { DrawnPicture } from "../../kit/picture/picture.tsx";
import { exactTime, relativeTime } from "../../kit/value/time.ts";
import { Json } from "../../messages/message-blocks.tsx";
import { jsonText } from "../../kit/text/json.ts";
import { blocksOf, words, type Block } from "../events/content.ts";
import type { Preview } from "../events/event-log.ts";
import type { Scene } from "./transcript.tsx";

export function SaidView({ event, scene }: { event: SessionEvent; scene: Scene }) {
  switch (event.type) {
    case "agent.thinking":
      return <Thinking at={event.processed_at} />;
    case "agent.message":
      return (
        <Speech by={scene.agentName} at={event.processed_at}>
          <Content content={event["content"]} />
        </Speech>
      );
    case "agent.thread_message_sent":
    case "agent.thread_message_received":
      return <Between event={event} toThread={scene.toThread} />;
    case "user.define_outcome":
      return <Outcome event={event} />;
    default:
      return (
        <Speech
          by={event.type === "system.message" ? "System" : "User"}
          at={event.processed_at}
          isInput
        >
          <Content content={event["content"]} />
        </Speech>
      );
  }
}

function Speech({
  by,
  at,
  isInput = false,
  beside,
  children,
}: {
  by: ReactNode;
  at: string | null;
  isInput?: boolean;
  beside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      className={`rounded-lg border border-line px-4 py-3 ${isInput ? "bg-sunken" : "bg-surface"}`}
    >
      <p className="mb-1 flex flex-wrap items-center gap-x-2 text-sm">
        <span className="font-medium wrap-anywhere">{by}</span>
        {beside}
        <Moment at={at} isInput={isInput} />
      </p>
      {children}
    </div>
  );
}

/** An input without a time waits for its turn. */
function Moment({ at, isInput }: { at: string | null; isInput: boolean }) {
  if (at === null) return isInput && <Badge tone="warn">Waits for its turn</Badge>;
  return (
    <time dateTime={at} title={exactTime(at)} className="text-soft">
      {relativeTime(at, { isShort: true })}
    </time>
  );
}

export function Content({ content }: { content: unknown }) {
  return (
    <div className="grid gap-2">
      {blocksOf(content).map((block, place) => (
        <BlockView key={place} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  if (block.type === "text")
    return <p className="whitespace-pre-wrap wrap-anywhere">{words(block["text"])}</p>;
  if (block.type === "image") return <ImageView block={block} />;
  if (block.type === "redacted") return <p className="text-soft">Redacted</p>;
  return <Json label={`Block ${block.type}`} text={jsonText(block)} />;
}

/** What has its bytes with it is drawn; what is elsewhere is named. */
function ImageView({ block }: { block: Block }) {
  const { type, media_type: media, data } = (block["source"] ?? {}) as Record<string, unknown>;
  const blob = useMemo(
    () => (type === "base64" ? blobOf(words(data), words(media)) : undefined),
    [type, media, data],
  );
  if (blob === undefined) return <Json label="Block image" text={jsonText(block)} />;
  return <DrawnPicture data={blob} label="A picture" />;
}

function blobOf(base64: string, type: string): Blob | undefined {
  try {
    return new Blob([Uint8Array.from(atob(base64), (each) => each.charCodeAt(0))], { type });
  } catch {
    return undefined;
  }
}

function Thinking({ at }: { at: string | null }) {
  return (
    <p className="flex items-center gap-2 px-4 text-sm text-soft">
      <Brain size={15} aria-hidden />
      Thought about it
      <Moment at={at} isInput={false} />
    </p>
  );
}

function Between({ event, toThread }: { event: SessionEvent; toThread: (thread: string) => void }) {
  const isSent = event.type === "agent.thread_message_sent";
  const side = isSent ? "to" : "from";
  const thread = words(event[`${side}_session_thread_id`]);
  const name = words(event[`${side}_agent_name`]) || "another agent";
  return (
    <Speech
      by={
        <span className="inline-flex items-center gap-2">
          <ArrowLeftRight size={15} aria-hidden />
          {isSent ? `To ${name}` : `From ${name}`}
        </span>
      }
      at={event.processed_at}
      beside={
        <button
          type="button"
          onClick={() => toThread(thread)}
          className="text-accent underline underline-offset-2"
        >
          Show its thread
        </button>
      }
    >
      <Content content={event["content"]} />
    </Speech>
  );
}

function Outcome({ event }: { event: SessionEvent }) {
  const rubric = (event["rubric"] ?? {}) as { content?: string; file_id?: string };
  return (
    <Speech
      by={
        <span className="inline-flex items-center gap-2">
          <Goal size={15} aria-hidden />
          Outcome to reach
        </span>
      }
      at={event.processed_at}
      isInput
    >
      <p className="whitespace-pre-wrap wrap-anywhere">{words(event["description"])}</p>
      <details className="mt-1">
        <summary className="text-sm text-soft">What it is graded by</summary>
        <p className="mt-1 whitespace-pre-wrap wrap-anywhere">
          {rubric.content ?? `The file ${rubric.file_id ?? ""}`}
        </p>
      </details>
    </Speech>
  );
}

export function WritingView({ preview, agentName }: { preview: Preview; agentName: string }) {
  if (preview.type === "agent.thinking")
    return (
      <p className="flex items-center gap-2 px-4 text-sm text-soft">
        <Brain size={15} aria-hidden />
        Thinking…
      </p>
    );
  return (
    <Speech by={agentName} at={null} beside={<Badge tone="accent">Writing</Badge>}>
      <p className="whitespace-pre-wrap wrap-anywhere">{preview.text}</p>
    </Speech>
  );
}

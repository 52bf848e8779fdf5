// Content of a message as blocks: text, thinking, calls of tools and their results, and where a fallback took over.
import { ArrowRight, Brain, CornerDownRight, GitBranch, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import type { Block } from "../../client/messages/message.ts";
import { spaced } from "../kit/value/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Citations } from "./citations.tsx";

export function Blocks({ blocks, busy = false }: { blocks: readonly Block[]; busy?: boolean }) {
  return (
    <div className="grid gap-3">
      {blocks.map((block, place) => (
        <BlockView key={place} block={block} busy={busy && place === blocks.length - 1} />
      ))}
    </div>
  );
}

const words = (value: unknown): string => (typeof value === "string" ? value : "");

function BlockView({ block, busy }: { block: Block; busy: boolean }) {
  switch (block.type) {
    case "text":
      return (
        <div>
          <p className="whitespace-pre-wrap wrap-anywhere">{words(block["text"])}</p>
          <Citations citations={block["citations"]} />
        </div>
      );
    case "thinking":
      return <Thinking text={words(block["thinking"])} busy={busy} />;
    case "redacted_thinking":
      return <Thinking text="The model keeps this thinking to itself." busy={false} />;
    case "fallback":
      return <Boundary block={block} />;
    case "tool_use":
      return (
        <Framed icon={<Wrench size={15} aria-hidden />} title={words(block["name"])}>
          <Json
            label={`Input of ${words(block["name"])}`}
            text={
              typeof block["partial"] === "string"
                ? block["partial"]
                : JSON.stringify(block["input"], null, 2)
            }
          />
        </Framed>
      );
    case "tool_result":
      return (
        <Framed icon={<CornerDownRight size={15} aria-hidden />} title="Result">
          <Json label="Result of the tool" text={textOf(block["content"])} />
        </Framed>
      );
    default:
      return (
        <Framed title={spaced(block.type)}>
          <Json label={`Block ${block.type}`} text={JSON.stringify(block, null, 2)} />
        </Framed>
      );
  }
}

const textOf = (content: unknown) =>
  typeof content === "string" ? content : JSON.stringify(content, null, 2);

function Thinking({ text, busy }: { text: string; busy: boolean }) {
  return (
    <details className="rounded-md border border-line bg-sunken">
      <summary className="flex items-center gap-2 px-3 py-1.5 text-soft max-md:min-h-10">
        <Brain size={15} aria-hidden />
        {busy ? "Thinking…" : "Thinking"}
        <span className="text-sm">{text.length.toLocaleString("en")} characters</span>
      </summary>
      <p className="border-t border-line px-3 py-2 whitespace-pre-wrap text-soft wrap-anywhere">
        {text}
      </p>
    </details>
  );
}

/** Everything above it is of the one model, everything below of the other. */
function Boundary({ block }: { block: Block }) {
  const model = (side: string) => words((block[side] as { model?: unknown } | undefined)?.model);
  const { category } = (block["trigger"] ?? {}) as { category?: unknown };
  return (
    <div
      role="note"
      aria-label={`Fallback from ${model("from")} to ${model("to")}`}
      className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md border-l-4 border-warn bg-warn-soft px-3 py-2 text-warn"
    >
      <GitBranch size={16} aria-hidden />
      <span className="font-medium">Fallback</span>
      <span className="inline-flex flex-wrap items-center gap-1.5 font-mono text-sm">
        {model("from")}
        <ArrowRight size={14} aria-label="to" />
        {model("to")}
      </span>
      <span className="text-sm">
        {typeof category === "string" ? `refused: ${category}` : "refused, without a category"}
      </span>
    </div>
  );
}

function Framed({
  icon,
  title,
  children,
}: {
  icon?: ReactNode;
  title: string;
  children: ReactNode;
}) {
  return (
    <div className="rounded-md border border-line">
      <p className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        {icon}
        <Badge tone="accent">{title}</Badge>
      </p>
      {children}
    </div>
  );
}

export function Json({ text, label }: { text: string; label: string }) {
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="max-h-96 overflow-auto bg-sunken p-3 font-mono text-sm leading-5"
    >
      <code>{text}</code>
    </pre>
  );
}

// One result of a batch, whole, beside the list: the message and what it took, or why there is none.
import { Tabs } from "@base-ui/react/tabs";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Batch, BatchResult } from "../../kit/server/api.ts";
import { errorOf, fates, outcomeOf, results, type Errored } from "../batch.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import type { Message } from "../../../client/messages/message.ts";
import { plural } from "../../../client/text/words.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { IconButton } from "../../kit/page/button.tsx";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { Blocks, Json } from "../../messages/message-blocks.tsx";
import { Hops, Refusal, Tokens } from "../../messages/message-facts.tsx";
import { Name } from "../../kit/value/name.tsx";
import { Fact } from "../../kit/value/facts.tsx";
import { Tab } from "../../kit/page/tab.tsx";
import { RequestId } from "../../kit/server/request-id.tsx";

export function ResultPanel({
  customId,
  batch,
  result,
  children,
  onClose,
  onPrevious,
  onNext,
}: {
  customId: string;
  batch: Batch;
  result: BatchResult | undefined;
  /** Stands there as long as there is no result. */
  children: ReactNode;
  onClose: () => void;
  onPrevious?: () => void;
  onNext?: () => void;
}) {
  return (
    <aside
      aria-label="Result"
      className="fixed inset-x-0 bottom-0 z-30 max-h-[70dvh] overflow-y-auto rounded-t-xl border border-line bg-surface p-4 shadow-lift xl:sticky xl:top-6 xl:z-0 xl:max-h-[calc(100dvh-48px)] xl:rounded-lg xl:shadow-none"
    >
      <div className="mb-3 flex items-start gap-1">
        <h2 className="min-w-0 flex-1 self-center font-mono text-base font-semibold wrap-anywhere">
          {customId}
        </h2>
        <IconButton
          label="Previous result (K)"
          disabled={onPrevious === undefined}
          onClick={onPrevious}
        >
          <ChevronUp size={16} aria-hidden />
        </IconButton>
        <IconButton label="Next result (J)" disabled={onNext === undefined} onClick={onNext}>
          <ChevronDown size={16} aria-hidden />
        </IconButton>
        <IconButton label="Close the result (Esc)" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {result === undefined ? children : <Whole result={result} batch={batch} />}
    </aside>
  );
}

function Whole({ result, batch }: { result: BatchResult; batch: Batch }) {
  const { tone, word } = results[outcomeOf(result)];
  const json = JSON.stringify({ custom_id: result.custom_id, result: result.result }, null, 2);
  return (
    <Tabs.Root defaultValue="result" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{word}</Badge>
        <span className="text-sm text-soft">Request {(result.index + 1).toLocaleString("en")}</span>
        <span className="flex-1" />
        <Tabs.List aria-label="Result as" className="flex gap-1">
          <Tab value="result">Result</Tab>
          <Tab value="json">JSON</Tab>
        </Tabs.List>
      </div>
      <Tabs.Panel value="result" className="grid gap-4">
        {result.result === null ? (
          <TooLong result={result} batch={batch} />
        ) : (
          <Said result={result} />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="json">
        {result.result === null ? (
          <TooLong result={result} batch={batch} />
        ) : (
          <Json label="Result as JSON" text={json} />
        )}
      </Tabs.Panel>
      <div className="flex flex-wrap gap-2 border-t border-line pt-3">
        {result.result !== null && <CopyButton text={json} label="Copy JSON" />}
        <CopyButton text={() => window.location.href} label="Copy link" />
      </div>
    </Tabs.Root>
  );
}

function Said({ result: { type, result } }: { result: BatchResult }) {
  if (type === "succeeded")
    return <Succeeded message={(result as unknown as { message: Message }).message} />;
  if (type === "errored") return <Failed error={errorOf(result)} />;
  return <p>{fates[type]}</p>;
}

function Succeeded({ message }: { message: Message }) {
  const { content, stop_reason: reason, stop_details: details, model, usage } = message;
  const text = content
    .map((block) => (block.type === "text" ? String(block["text"]) : ""))
    .join("");
  return (
    <>
      {reason === "refusal" && <Refusal details={details} />}
      {content.length > 0 && <Blocks blocks={content} />}
      {text !== "" && (
        <div>
          <CopyButton text={text} label="Copy text" />
        </div>
      )}
      <dl className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3">
        <Fact name="Answered by">
          <Name id={model} kind="model" />
        </Fact>
        <Fact name="Stop reason">{reason ?? "None"}</Fact>
        <Tokens usage={usage} output={plural(usage.output_tokens, "token")} />
        <Hops message={message} />
      </dl>
    </>
  );
}

function Failed({ error: { type, message, code, requestId } }: { error: Errored }) {
  return (
    <>
      <p className="rounded-md bg-bad-soft px-3 py-2 wrap-anywhere text-bad">{message}</p>
      <dl className="grid gap-3">
        <Fact name="Type">
          <span className="font-mono text-sm">{type}</span>
        </Fact>
        {code !== undefined && (
          <Fact name="Error code">
            <span className="font-mono text-sm">{code}</span>
          </Fact>
        )}
        {requestId !== undefined && (
          <Fact name="Request id">
            <RequestId id={requestId} className="mr-2" />
            <CopyButton text={requestId} />
          </Fact>
        )}
      </dl>
      <p className="text-sm text-soft">It costs nothing.</p>
    </>
  );
}

function TooLong({ result: { bytes }, batch }: { result: BatchResult; batch: Batch }) {
  return (
    <p className="text-soft">
      This result has {bytesText(bytes)}, which is too long to be shown here. It stands in the file
      of results{batch.results_url === null && ", which is there once the batch has ended"}.
    </p>
  );
}

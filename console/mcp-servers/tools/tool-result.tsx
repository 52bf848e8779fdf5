// What a tool answered: its texts and pictures, whether it failed, and how long it took.
import { useMemo } from "react";
import { DrawnPicture } from "../../kit/picture/picture.tsx";
import type { McpToolResult } from "../../kit/server/api.ts";
import { jsonText } from "../../kit/text/json.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { statusWords } from "../mcp-servers.ts";
import { WithRequestIds } from "../../kit/server/request-id.tsx";

export type Result = McpToolResult;
type Content = Result["content"][number];

export function ToolResult({ result }: { result: Result }) {
  const { status, is_error: isError, error, may_have_run: mayHaveRun, content } = result;
  const isRun = status === "connected";
  const word = isRun && isError ? "The tool failed" : "The tool answered";
  return (
    <section aria-label="Result" className="grid gap-3 border-t border-line pt-4">
      <p>
        <Badge tone={isError ? "bad" : "good"}>{isRun ? word : statusWords[status].word}</Badge>{" "}
        <span className="text-sm text-soft">
          {result.latency_ms.toLocaleString("en")} ms, with the connection
        </span>
      </p>
      {error !== null && (
        <p className="text-bad wrap-anywhere">
          <WithRequestIds text={error} />
        </p>
      )}
      {!isRun && (
        <p className="text-soft">
          {mayHaveRun ? "The tool may have run all the same." : "The tool was not run."}
        </p>
      )}
      {content.map((each, at) => (
        <ContentView key={at} content={each} />
      ))}
      {isRun && content.length === 0 && <p className="text-soft">It answered with nothing.</p>}
    </section>
  );
}

function ContentView({ content }: { content: Content }) {
  if (content.type === "text") return <Text text={content.text} />;
  if (content.type === "image") return <Picture source={content.source} />;
  return <p className="text-soft">A document: {content.source.media_type}</p>;
}

/** Structured content comes as JSON in a text: it is shown so that it can be read. */
function Text({ text }: { text: string }) {
  const shown = useMemo(() => {
    const first = text.trimStart()[0];
    if (first !== "{" && first !== "[") return text;
    try {
      return jsonText(JSON.parse(text));
    } catch {
      return text;
    }
  }, [text]);
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label="Text"
      className="max-h-96 overflow-auto rounded-md border border-line bg-sunken p-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
    >
      {shown}
    </pre>
  );
}

function Picture({
  source,
}: {
  source: Extract<Content, { type: "image" | "document" }>["source"];
}) {
  const { data, media_type: type } = source;
  const blob = useMemo(() => {
    try {
      return new Blob([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))], { type });
    } catch {
      return undefined;
    }
  }, [data, type]);
  if (blob === undefined) return <p className="text-soft">A picture that cannot be read.</p>;
  return <DrawnPicture data={blob} label="A picture" />;
}

// A call of a tool: its input, what was decided about it, and what came of it; with the way to answer where it waits.
import { AppWindow, Wrench } from "lucide-react";
import { lazy, Suspense, type ReactNode } from "react";
import { progressWords, type CallProgress } from "../../../client/sessions/progress.ts";
import { askedIn } from "../../../client/sessions/questions.ts";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { Button } from "../../kit/page/button.tsx";
import type { SessionEvent } from "../../kit/server/api.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { jsonText } from "../../kit/text/json.ts";
import { ProgressBar } from "../../kit/page/progress-bar.tsx";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { useServerAt } from "../../mcp-servers/known-servers.tsx";
import { Json } from "../../messages/message-blocks.tsx";
import { AnswerCall } from "../calls/answer-call.tsx";
import type { Called } from "../calls/called-tool-page.tsx";
import { RunningCall } from "../calls/running-call.tsx";
import { callName, inputLabel, words } from "../events/content.ts";
import { needOf, type Call, type Need } from "./items.ts";
import { Content } from "./said-view.tsx";
import type { Scene } from "./transcript.tsx";

const CalledToolPage = lazy(() =>
  import("../calls/called-tool-page.tsx").then((file) => ({ default: file.CalledToolPage })),
);

export function CallView({ call, scene }: { call: Call; scene: Scene }) {
  const { event, confirmation, result } = call;
  const need = scene.isOver ? undefined : needOf(call, scene.environment === "self_hosted");
  const name = callName(event);
  const state = stateOf(call, need);
  const progress = scene.progress.get(event.id);
  const isInSandbox =
    state === running &&
    !scene.isOver &&
    scene.environment === "cloud" &&
    event.type === "agent.tool_use";
  return (
    <div className="rounded-lg border border-line bg-surface">
      <details open={need !== undefined && askedIn(event) === undefined}>
        <summary className="flex flex-wrap items-center gap-x-2 gap-y-1 px-4 py-2 max-md:min-h-10">
          <Wrench size={15} aria-hidden className="shrink-0 text-soft" />
          <span className="font-mono text-sm font-medium wrap-anywhere">{name}</span>
          <span className="min-w-0 flex-1 basis-24 truncate font-mono text-sm text-soft">
            {JSON.stringify(event["input"] ?? {})}
          </span>
          <Badge tone={state.tone}>{state.word}</Badge>
        </summary>
        <div className="grid gap-3 border-t border-line px-4 py-3">
          <Part title="Input">
            <Json label={inputLabel(event)} text={jsonText(event["input"] ?? {})} />
          </Part>
          {confirmation !== undefined && <Decision event={confirmation} />}
          {result !== undefined && (
            <Part title={result["is_error"] === true ? "Result, an error" : "Result"}>
              <Result event={result} />
            </Part>
          )}
        </div>
      </details>
      {result !== undefined && <CallPage event={event} result={result} />}
      {need !== undefined && (
        <div className="border-t border-line px-4 py-3">
          <AnswerCall key={need} session={scene.session} call={event} need={need} />
        </div>
      )}
      {progress !== undefined && state === running && <Progress of={progress} name={name} />}
      {isInSandbox && (
        <RunningCall
          session={scene.session}
          thread={scene.thread}
          environment={scene.environmentId}
          name={name}
          since={confirmation?.processed_at ?? event.processed_at ?? ""}
        />
      )}
    </div>
  );
}

/** As its server tells it. */
function Progress({ of: progress, name }: { of: CallProgress; name: string }) {
  const { done, total } = progress;
  const share = done === undefined || !total ? undefined : Math.min(1, Math.max(0, done / total));
  return (
    <ProgressBar
      label={`Progress of ${name}`}
      share={share}
      className="border-t border-line px-4 py-2"
    >
      {progressWords(progress)}
    </ProgressBar>
  );
}

/** The way to the page of its tool, where the workspace has the server. Nothing is asked of that before. */
function CallPage({ event, result }: Called) {
  const { id: workspace } = useWorkspace();
  const page = event["tool_page"] as { server_url: string } | undefined;
  const at = useServerAt(page?.server_url);
  if (at === undefined) return null;
  const name = words(event["name"]);
  const show = () =>
    openDialog({
      title: `Page of ${name}`,
      description: "It has what the tool was given in this session, and what it answered.",
      wide: true,
      body: (
        <Suspense fallback={<p className="text-soft">Loading…</p>}>
          <CalledToolPage event={event} result={result} at={at} workspace={workspace} />
        </Suspense>
      ),
    });
  return (
    <div className="border-t border-line px-4 py-2">
      <Button aria-label={`Show the page of ${name}, call ${event.id.slice(-6)}`} onClick={show}>
        <AppWindow size={16} aria-hidden />
        Show
      </Button>
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="mb-1 text-sm text-soft">{title}</p>
    {children}
  </div>
);

function Decision({ event }: { event: SessionEvent }) {
  const why = words(event["deny_message"]);
  return (
    <p className="text-sm wrap-anywhere">
      {event["result"] === "deny" ? "Denied" : "Allowed"} by a person{why !== "" && `: ${why}`}
    </p>
  );
}

function Result({ event }: { event: SessionEvent }) {
  const content = event["content"];
  const isError = event["is_error"] === true;
  if (!Array.isArray(content) || content.length === 0)
    return <p className="text-soft">Nothing came back.</p>;
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={`Result, event ${event.id.slice(-6)}`}
      className={`max-h-96 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-sm ${isError ? "border-l-4 border-bad" : ""}`}
    >
      <Content content={content} />
    </div>
  );
}

const waits: Record<Need, string> = {
  confirmation: "Waits to be allowed",
  answer: "Waits for its result",
  worker: "Waits for a worker",
};

const running = { word: "Running", tone: "accent" } as const;

function stateOf(
  { event, confirmation, result, isClosed }: Call,
  need: Need | undefined,
): { word: string; tone: Tone } {
  if (need !== undefined) {
    const isQuestion = need === "answer" && askedIn(event) !== undefined;
    return { word: isQuestion ? "Waits for your answer" : waits[need], tone: "warn" };
  }
  if (confirmation?.["result"] === "deny" || event["evaluated_permission"] === "deny")
    return { word: "Denied", tone: "bad" };
  if (result === undefined) return isClosed ? { word: "Not run", tone: "neutral" } : running;
  return result["is_error"] === true
    ? { word: "Failed", tone: "bad" }
    : { word: "Done", tone: "good" };
}

// One answer, or two side by side, each with what can be done next.
import { Button } from "../../kit/page/button.tsx";
import { endsInCall, openCalls } from "../../messages/conversation.ts";
import type { Block } from "../../../client/messages/message.ts";
import type { Bench } from "../use-bench.ts";
import { Answer } from "./answer.tsx";
import type { Run } from "./run.ts";
import { ToolResults } from "./tool-results.tsx";

export function Answers({ bench }: { bench: Bench }) {
  const runs = bench.runs.filter((run) => run !== undefined);
  const turns = bench.draft.turns.length;
  if (runs.length === 0) return null;
  const nameOf = ({ request }: Run) =>
    [bench.model, bench.beside].find((model) => model?.id === request.model)?.display_name ??
    request.model;
  return (
    <div className={runs.length > 1 ? "grid items-start gap-4 md:grid-cols-2" : "grid"}>
      {runs.map((run, place) => (
        <Answer
          key={place}
          run={run}
          entries={bench.entries}
          {...(runs.length > 1 && { of: nameOf(run) })}
          after={<Next run={run} reply={bench.reply} turns={turns} isBusy={bench.running} />}
        />
      ))}
    </div>
  );
}

function Next({
  run: { state, message, request },
  reply,
  turns,
  isBusy,
}: {
  run: Run;
  reply: (content: Block[], results?: Block[]) => void;
  turns: number;
  isBusy: boolean;
}) {
  // Once the conversation has gone on, this answer stands in it already.
  if (state !== "done" || message === undefined || turns !== request.messages.length) return null;
  // What was refused is no answer to go on from, and a call that was cut off can have no result.
  if (message.content.length === 0 || message.stop_reason === "refusal") return null;
  const calls = openCalls(message);
  if (calls.length === 0 && endsInCall(message))
    return (
      <p className="text-soft">
        The answer ends in the middle of a call. Allow more tokens and run it again.
      </p>
    );
  if (calls.length > 0)
    return (
      <ToolResults
        key={message.id}
        calls={calls}
        isBusy={isBusy}
        onContinue={(results) => reply(message.content, results)}
      />
    );
  return (
    <div>
      <Button disabled={isBusy} onClick={() => reply(message.content)}>
        Reply to this
      </Button>
    </div>
  );
}

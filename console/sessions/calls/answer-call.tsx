// What a person does with a call that waits: allows it, denies it with a reason, or gives its result.
import { useMutation } from "@tanstack/react-query";
import { Check, X } from "lucide-react";
import { useState, type FormEvent } from "react";
import { askedIn } from "../../../client/sessions/questions.ts";
import { AreaField, CheckField } from "../../kit/form/field.tsx";
import { FilterSelect } from "../../kit/form/select.tsx";
import { Button } from "../../kit/page/button.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import type { SessionEvent } from "../../kit/server/api.ts";
import { TextDiffView } from "../../kit/text/compared-texts.tsx";
import { jsonText } from "../../kit/text/json.ts";
import { useUnsaved } from "../../kit/server/signed-out.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { words } from "../events/content.ts";
import { sendEvents, type ClientEvent } from "../send-events.ts";
import { limits } from "../sessions.ts";
import type { Need } from "../transcript/items.ts";
import { AnswerQuestion } from "./answer-question.tsx";

export function AnswerCall({
  session,
  call,
  need,
  onDone,
}: {
  session: string;
  call: SessionEvent;
  need: Need;
  onDone?: () => unknown;
}) {
  const { id: workspace } = useWorkspace();
  const act = useMutation({
    mutationFn: (event: ClientEvent) => sendEvents(workspace, session, [event]),
    onSuccess: () => onDone?.(),
    // It may have been answered meanwhile.
    onError: () => onDone?.(),
  });
  const name = words(call["name"]);
  // Until the stream tells of it, what was sent is not sent again.
  const isBusy = act.isPending || act.isSuccess;
  const send = (event: ClientEvent) => act.mutate(event);
  const asked = askedIn(call);
  return (
    <div className="grid gap-3">
      {need === "confirmation" && <ToolChange call={call} name={name} />}
      {asked !== undefined ? (
        <AnswerQuestion
          asked={asked}
          isBusy={isBusy}
          onSend={(text) => send(resultOf(call, text, false))}
        />
      ) : need === "confirmation" ? (
        <Confirm call={call} name={name} isBusy={isBusy} onSend={send} />
      ) : need === "worker" ? (
        <details>
          <summary className="text-soft">
            A worker of its environment gives the result. Answer in its place
          </summary>
          <div className="mt-3">
            <Answer call={call} name={name} isBusy={isBusy} onSend={send} />
          </div>
        </details>
      ) : (
        <Answer call={call} name={name} isBusy={isBusy} onSend={send} />
      )}
      {act.error !== null && <TroubleBox error={act.error} />}
    </div>
  );
}

interface Definition {
  description: string;
  input_schema: object;
}

const definitionText = (definition: Definition | null) =>
  definition === null
    ? "Too large to be kept."
    : `${definition.description}\n\nInput: ${jsonText(definition.input_schema)}\n`;

/** Who allows the call allows the tool as it is now. */
function ToolChange({ call, name }: { call: SessionEvent; name: string }) {
  const change = call["tool_change"] as
    | { before: Definition | null; after: Definition | null }
    | undefined;
  if (change === undefined) return null;
  return (
    <div className="grid gap-2">
      <p role="note" className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
        The MCP server has changed this tool since the session was offered it. Allowing the call
        accepts the tool as it is now.
      </p>
      <TextDiffView
        label={`What changed in ${name}`}
        before={definitionText(change.before)}
        after={definitionText(change.after)}
        titles={["As it was", "As it is now"]}
      />
    </div>
  );
}

interface Part {
  call: SessionEvent;
  name: string;
  isBusy: boolean;
  onSend: (event: ClientEvent) => void;
}

function Confirm({ call, name, isBusy, onSend }: Part) {
  const [isDenying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  useUnsaved(reason !== "");
  const answered = { type: "user.tool_confirmation", tool_use_id: call.id } as const;
  if (!isDenying)
    return (
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          busy={isBusy}
          aria-label={`Allow ${name}`}
          onClick={() => onSend({ ...answered, result: "allow" })}
        >
          <Check size={16} aria-hidden />
          Allow
        </Button>
        <Button aria-label={`Deny ${name}`} disabled={isBusy} onClick={() => setDenying(true)}>
          <X size={16} aria-hidden />
          Deny
        </Button>
      </div>
    );
  function deny(event: FormEvent): void {
    event.preventDefault();
    const why = reason.trim();
    onSend({ ...answered, result: "deny", ...(why !== "" && { deny_message: why }) });
  }
  return (
    <form onSubmit={deny} className="grid gap-3">
      <AreaField
        label="Why not"
        hint="The agent is told, and goes on. It may be left empty."
        rows={2}
        autoFocus
        maxLength={limits.denyCharactersMax}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="danger" busy={isBusy}>
          Deny the call
        </Button>
        <Button disabled={isBusy} onClick={() => setDenying(false)}>
          Back
        </Button>
      </div>
    </form>
  );
}

const forms = [
  { value: "text", label: "As text" },
  { value: "json", label: "As JSON" },
] as const;
type AnswerForm = (typeof forms)[number]["value"];

function Answer({ call, name, isBusy, onSend }: Part) {
  const [text, setText] = useState("");
  const [form, setForm] = useState<AnswerForm>("text");
  const [isError, setError] = useState(false);
  const [fault, setFault] = useState<string>();
  useUnsaved(text !== "" && !isBusy);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const found = form === "json" ? jsonFault(text) : undefined;
    setFault(found);
    if (found === undefined) onSend(resultOf(call, text, isError));
  }
  return (
    <form onSubmit={submit} className="grid gap-3">
      <AreaField
        label={`Result of ${name}`}
        rows={2}
        className="font-mono text-sm"
        placeholder="What the tool gives back."
        value={text}
        error={fault}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterSelect label="Form of the result" value={form} choices={forms} onChange={setForm} />
        <CheckField
          label="It failed"
          checked={isError}
          onChange={({ target }) => setError(target.checked)}
        />
        <Button type="submit" look="primary" busy={isBusy}>
          Send the result
        </Button>
      </div>
    </form>
  );
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is no JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function resultOf(call: SessionEvent, text: string, isError: boolean): ClientEvent {
  const given = {
    content: text === "" ? [] : [{ type: "text" as const, text }],
    ...(isError && { is_error: true }),
  };
  return call.type === "agent.custom_tool_use"
    ? { type: "user.custom_tool_result", custom_tool_use_id: call.id, ...given }
    : { type: "user.tool_result", tool_use_id: call.id, ...given };
}

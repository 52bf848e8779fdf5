// A model waits for results of tools: they are typed, and the conversation goes on.
import { useState, type FormEvent } from "react";
import type { Block } from "../../../client/messages/message.ts";
import type { ToolCall } from "../../messages/conversation.ts";
import { Button } from "../../kit/page/button.tsx";
import { AreaField, CheckField } from "../../kit/form/field.tsx";

interface Result {
  text: string;
  failed: boolean;
}

export function ToolResults({
  calls,
  isBusy,
  onContinue,
}: {
  calls: ToolCall[];
  /** Another answer is still coming. */
  isBusy: boolean;
  onContinue: (results: Block[]) => void;
}) {
  const [results, setResults] = useState<Record<string, Result>>({});
  const resultOf = (id: string) => results[id] ?? { text: "", failed: false };
  const change = (id: string, patch: Partial<Result>) =>
    setResults((before) => ({ ...before, [id]: { ...resultOf(id), ...patch } }));
  function submit(event: FormEvent): void {
    event.preventDefault();
    onContinue(
      calls.map(({ id }) => {
        const { text, failed } = resultOf(id);
        const block = { type: "tool_result", tool_use_id: id, content: text };
        return failed ? { ...block, is_error: true } : block;
      }),
    );
  }
  return (
    <form onSubmit={submit} className="grid gap-3 border-t border-line pt-4">
      {calls.map(({ id, name }) => (
        <div key={id} className="grid gap-1">
          <AreaField
            label={`Result of ${name}`}
            rows={2}
            className="font-mono text-sm"
            placeholder="What the tool gives back."
            value={resultOf(id).text}
            onChange={({ target }) => change(id, { text: target.value })}
          />
          <CheckField
            label="It failed"
            checked={resultOf(id).failed}
            onChange={({ target }) => change(id, { failed: target.checked })}
          />
        </div>
      ))}
      <div>
        <Button type="submit" look="primary" disabled={isBusy}>
          Send {calls.length === 1 ? "the result" : "the results"}
        </Button>
      </div>
    </form>
  );
}

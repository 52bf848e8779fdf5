// The conversation: a system prompt and turns to write, answers that were taken over, calls that wait for results.
import { Plus, Trash2 } from "lucide-react";
import type { Draft, DraftTurn, Faults } from "./playground.ts";
import { newTurn } from "./playground.ts";
import { Button, IconButton } from "../kit/page/button.tsx";
import { AreaField } from "../kit/form/field.tsx";
import { FilterSelect } from "../kit/form/select.tsx";
import { Blocks } from "../messages/message-blocks.tsx";
import { AttachFiles, useAttaching } from "./request/attach-files.tsx";

export function Conversation({
  draft,
  faults,
  onChange,
}: {
  draft: Draft;
  faults: Faults;
  onChange: (patch: Partial<Draft>) => void;
}) {
  const { system, turns } = draft;
  const set = (turn: DraftTurn) =>
    onChange({ turns: turns.map((other) => (other.key === turn.key ? turn : other)) });
  function add(): void {
    onChange({ turns: [...turns, newTurn(turns.at(-1)?.role === "user" ? "assistant" : "user")] });
  }
  return (
    <div className="grid gap-4">
      <AreaField
        label="System prompt"
        rows={6}
        className="min-h-36 resize-y max-md:min-h-36"
        value={system}
        placeholder="Optional: who the model is, and what it heeds."
        onChange={(event) => onChange({ system: event.target.value })}
      />
      <ol className="grid gap-3" aria-label="Turns">
        {turns.map((turn, place) => (
          <li key={turn.key}>
            <Turn
              turn={turn}
              place={place + 1}
              onChange={set}
              {...(turns.length > 1 && {
                onRemove: () => onChange({ turns: turns.filter(({ key }) => key !== turn.key) }),
              })}
            />
          </li>
        ))}
      </ol>
      {faults.turns !== undefined && turns.length > 1 && (
        <p role="alert" className="text-sm text-bad">
          {faults.turns}
        </p>
      )}
      <div>
        <Button onClick={add}>
          <Plus size={15} aria-hidden />
          Add a turn
        </Button>
      </div>
    </div>
  );
}

function Turn({
  turn,
  place,
  onChange,
  onRemove,
}: {
  turn: DraftTurn;
  place: number;
  onChange: (turn: DraftTurn) => void;
  onRemove?: () => void;
}) {
  const { role, blocks } = turn;
  return (
    <div className="rounded-md border border-line bg-surface p-2">
      <div className="mb-1.5 flex items-center gap-2">
        {blocks === undefined ? (
          <FilterSelect
            label={`Role of turn ${place}`}
            value={role}
            choices={[
              { value: "user", label: "User" },
              { value: "assistant", label: "Assistant" },
            ]}
            onChange={(next) => onChange({ ...turn, role: next })}
          />
        ) : (
          <span className="px-1 font-medium">{role === "user" ? "User" : "Assistant"}</span>
        )}
        <span className="flex-1" />
        {onRemove !== undefined && (
          <IconButton label={`Remove turn ${place}`} onClick={onRemove}>
            <Trash2 size={15} aria-hidden />
          </IconButton>
        )}
      </div>
      {blocks === undefined ? (
        <TurnText turn={turn} place={place} onChange={onChange} />
      ) : (
        <div className="px-1 pb-1">
          <Blocks blocks={blocks} />
        </div>
      )}
    </div>
  );
}

/** What is dropped on the text or pasted into it is attached; a model's turn has text alone. */
function TurnText({
  turn,
  place,
  onChange,
}: {
  turn: DraftTurn;
  place: number;
  onChange: (turn: DraftTurn) => void;
}) {
  const { role, text, attached = [] } = turn;
  const attaching = useAttaching(attached, (next) => onChange({ ...turn, attached: next }));
  const mayAttach = role === "user";
  function take(event: { preventDefault: () => void }, files: FileList | undefined): void {
    if (!mayAttach || files === undefined || files.length === 0) return;
    event.preventDefault();
    void attaching.add([...files]);
  }
  return (
    <>
      <textarea
        aria-label={`Text of turn ${place}`}
        data-turn
        rows={3}
        value={text}
        placeholder={role === "user" ? "Ask something." : "What the model said before."}
        onChange={({ target }) => onChange({ ...turn, text: target.value })}
        onPaste={(event) => take(event, event.clipboardData.files)}
        onDrop={(event) => take(event, event.dataTransfer.files)}
        className="field-sizing-content max-h-[60dvh] min-h-20 w-full rounded-md border border-line-strong bg-surface px-2.5 py-1.5 text-ink"
      />
      {(mayAttach || attached.length > 0) && (
        <AttachFiles place={place} attached={attached} attaching={attaching} />
      )}
    </>
  );
}

// The pool of seats, whole: its tiers in their order, lowest first.
import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { Button, IconButton } from "../kit/page/button.tsx";
import { api, type NewSeatTier, type SeatTier } from "../kit/server/api.ts";

interface Line {
  key: number;
  id?: string;
  name: string;
  seats: string;
  taken: number;
}

let keys = 0;
const newLine = (name = ""): Line => ({ key: ++keys, name, seats: "", taken: 0 });
const lineOf = ({ id, name, seats, taken }: SeatTier): Line => ({
  key: ++keys,
  id,
  name,
  seats: String(seats),
  taken,
});

export const setSeats = (tiers: readonly SeatTier[]): void =>
  openDialog({
    title: "The pool of seats",
    description:
      "Lowest tier first: new members and invites take a seat of the first one that has any.",
    body: <PoolForm start={tiers.length > 0 ? tiers.map(lineOf) : [newLine("Standard")]} />,
  });

function PoolForm({ start }: { start: Line[] }) {
  const form = useForm({
    start: { lines: start },
    save: ({ lines }) => api.seats.set({ body: { tiers: lines.map(asked) } }),
    done: ({ tiers }) => (tiers.length === 0 ? "Seats are no longer counted" : "The pool is set"),
  });
  const { lines } = form.values;
  const setLines = (next: Line[]) => form.set({ lines: next });
  const change = (key: number, patch: Partial<Line>) =>
    setLines(lines.map((line) => (line.key === key ? { ...line, ...patch } : line)));
  const isReady = lines.every(({ name, seats }) => name.trim() !== "" && /^\d{1,8}$/.test(seats));
  const label = lines.length === 0 ? "Stop counting" : "Set the pool";
  return (
    <Form form={form} label={label} isReady={isReady}>
      {lines.length === 0 && (
        <p>Without a tier seats are not counted, and anybody may be invited.</p>
      )}
      <ol className="grid gap-3">
        {lines.map((line, index) => (
          <li key={line.key} className="rounded-md border border-line p-3">
            <LineFields line={line} place={index + 1} change={(patch) => change(line.key, patch)} />
            <LineActs
              line={line}
              isFirst={index === 0}
              isLast={index === lines.length - 1}
              move={(by) => setLines(moved(lines, index, by))}
              remove={() => setLines(lines.filter((other) => other !== line))}
            />
          </li>
        ))}
      </ol>
      <div>
        <Button onClick={() => setLines([...lines, newLine()])}>
          <Plus size={16} aria-hidden />
          Add a tier
        </Button>
      </div>
    </Form>
  );
}

const asked = ({ id, name, seats }: Line): NewSeatTier => ({
  ...(id !== undefined && { id }),
  name: name.trim(),
  seats: Number(seats),
});

function moved(lines: Line[], index: number, by: -1 | 1): Line[] {
  const next = lines.toSpliced(index, 1);
  const line = lines[index];
  return line === undefined ? lines : next.toSpliced(index + by, 0, line);
}

function LineFields({
  line,
  place,
  change,
}: {
  line: Line;
  place: number;
  change: (patch: Partial<Line>) => void;
}) {
  return (
    <div className="grid gap-3 sm:grid-cols-[1fr_9rem]">
      <TextField
        label={`Tier ${place}`}
        value={line.name}
        maxLength={100}
        required
        autoComplete="off"
        onChange={(event) => change({ name: event.target.value })}
      />
      <TextField
        label={`Seats of tier ${place}`}
        type="number"
        min={line.taken}
        max={10_000_000}
        required
        {...(line.taken > 0 && { hint: `Held: ${line.taken}` })}
        value={line.seats}
        onChange={(event) => change({ seats: event.target.value })}
      />
    </div>
  );
}

function LineActs({
  line,
  isFirst,
  isLast,
  move,
  remove,
}: {
  line: Line;
  isFirst: boolean;
  isLast: boolean;
  move: (by: -1 | 1) => void;
  remove: () => void;
}) {
  const name = line.name === "" ? "the tier" : line.name;
  return (
    <div className="mt-2 flex justify-end gap-1">
      <IconButton label={`Move ${name} up`} disabled={isFirst} onClick={() => move(-1)}>
        <ArrowUp size={16} aria-hidden />
      </IconButton>
      <IconButton label={`Move ${name} down`} disabled={isLast} onClick={() => move(1)}>
        <ArrowDown size={16} aria-hidden />
      </IconButton>
      <IconButton label={`Take ${name} out`} onClick={remove}>
        <Trash2 size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

// Words that people give to things: keys and values, a row each.
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../page/button.tsx";

export interface Pair {
  key: string;
  value: string;
}

export const pairsOf = (record: Record<string, string>): Pair[] =>
  Object.entries(record).map(([key, value]) => ({ key, value }));

export const recordOf = (pairs: Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ key }) => key !== "").map(({ key, value }) => [key, value]));

const input =
  "min-h-9 w-full rounded-md border border-line-strong bg-surface px-2.5 font-mono text-sm text-ink max-md:min-h-10";

export function Pairs({
  legend,
  pairs,
  most,
  onChange,
}: {
  legend: string;
  pairs: Pair[];
  most: { pairs: number; key: number; value: number };
  onChange: (pairs: Pair[]) => void;
}) {
  const change = (at: number, patch: Partial<Pair>) =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...patch } : pair)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">{legend}</legend>
      {pairs.map(({ key, value }, at) => (
        <div key={at} className="flex items-center gap-2">
          <input
            aria-label={`Key ${at + 1}`}
            placeholder="Key"
            className={input}
            value={key}
            maxLength={most.key}
            onChange={({ target }) => change(at, { key: target.value })}
          />
          <input
            aria-label={`Value ${at + 1}`}
            placeholder="Value"
            className={input}
            value={value}
            maxLength={most.value}
            onChange={({ target }) => change(at, { value: target.value })}
          />
          <IconButton
            label={`Remove ${key === "" ? `pair ${at + 1}` : key}`}
            onClick={() => onChange(pairs.filter((_, place) => place !== at))}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          disabled={pairs.length >= most.pairs}
          onClick={() => onChange([...pairs, { key: "", value: "" }])}
        >
          <Plus size={16} aria-hidden />
          Add a pair
        </Button>
      </div>
    </fieldset>
  );
}

/** What leads from one record to another: a key that is gone must be named to go, one that is as it was is not sent. */
export function patchOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...changed]);
}

// The whole agent as JSON, and what is wrong with it while it is typed.
import { useId } from "react";
import { box } from "../../../kit/form/field.tsx";
import type { Fault } from "../faults.ts";

export function AgentJson({
  text,
  faults,
  onChange,
}: {
  text: string;
  faults: readonly Fault[];
  onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <div className="grid gap-3">
      <textarea
        aria-label="The agent as JSON"
        aria-invalid={faults.length > 0 || undefined}
        aria-describedby={faults.length > 0 ? id : undefined}
        spellCheck={false}
        rows={24}
        className={`${box} field-sizing-content max-h-[70dvh] min-h-80 max-md:min-h-80 py-2 font-mono text-sm leading-5`}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      {faults.length > 0 && (
        <div id={id} role="alert">
          <ul aria-label="What is wrong" className="grid gap-1 text-bad">
            {faults.map(({ path, sentence }) => (
              <li key={`${path} ${sentence}`} className="wrap-anywhere">
                {path !== "" && <span className="font-mono text-sm">{path}: </span>}
                {sentence}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

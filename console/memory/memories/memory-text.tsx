// The field in which the text of a memory is written, with its size against what fits.
import { useId, type KeyboardEvent, type ReactNode } from "react";
import { contentBytesMax } from "../memory.ts";
import { Bar } from "../../kit/value/bar.tsx";

export function MemoryText({
  label,
  value,
  bytes,
  readOnly = false,
  isShort = false,
  onChange,
  note,
}: {
  label: string;
  value: string;
  bytes: number;
  readOnly?: boolean;
  /** More stands below it that should be seen with it. */
  isShort?: boolean;
  onChange: (text: string) => void;
  note?: ReactNode;
}) {
  const id = useId();
  const isTooLong = bytes > contentBytesMax;
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Out of the text, to where the arrows go from memory to memory.
    if (event.key !== "Escape") return;
    event.preventDefault();
    const tree = document.querySelector<HTMLElement>("[data-tree]");
    if (tree?.checkVisibility() === true) tree.focus();
    else event.currentTarget.blur();
  };
  return (
    <div className="grid gap-1.5">
      <textarea
        aria-label={label}
        aria-describedby={id}
        aria-invalid={isTooLong || undefined}
        data-memory-text
        value={value}
        readOnly={readOnly}
        spellCheck={false}
        onKeyDown={onKeyDown}
        onChange={({ target }) => onChange(target.value)}
        className={`block w-full resize-y rounded-md border border-line-strong bg-surface px-3 py-2 font-mono text-sm leading-5 text-ink wrap-anywhere read-only:bg-sunken aria-invalid:border-bad ${isShort ? "h-[max(12rem,calc(100dvh-26rem))] max-md:h-[40dvh]" : "h-[max(18rem,calc(100dvh-19.5rem))] max-md:h-[55dvh]"}`}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-soft">
        <div className="w-24">
          <Bar share={Math.min(1, bytes / contentBytesMax)} tone={isTooLong ? "bad" : "accent"} />
        </div>
        <span id={id} className={isTooLong ? "text-bad" : ""}>
          {bytes.toLocaleString("en")} of {contentBytesMax.toLocaleString("en")} bytes
          {isTooLong && ": split it into several memories"}
        </span>
        <span className="flex-1 text-right max-md:text-left">{note}</span>
      </div>
    </div>
  );
}

// A place to drop a file on, or to choose one.
import { FileUp } from "lucide-react";
import { useRef, useState, type DragEvent } from "react";
import { Button } from "../parts/button.tsx";

export function FileDrop({
  label,
  disabled,
  onFile,
}: {
  label: string;
  disabled: boolean;
  onFile: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  function onDrag(event: DragEvent): void {
    event.preventDefault();
    setOver(!disabled);
  }
  function onDrop(event: DragEvent): void {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined && !disabled) onFile(file);
  }
  return (
    <div
      data-drop
      onDragOver={onDrag}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={`rounded-lg border border-dashed px-4 py-8 text-center ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-surface"}`}
    >
      <FileUp size={26} aria-hidden className="mx-auto mb-2 text-soft" />
      <p className="mb-3 text-soft">Drop a JSONL or JSON file here</p>
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        aria-label="File of requests"
        accept=".jsonl,.json,.ndjson,.txt,application/json,application/x-ndjson"
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file, mended, is chosen anew.
          target.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
    </div>
  );
}

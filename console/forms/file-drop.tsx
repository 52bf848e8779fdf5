// A place to drop a file on, or to choose one.
import { FileUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
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
  const isOver = useDrop(disabled, onFile);
  return (
    <div
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

/** Anywhere on the page: beside the place for it, a browser would open the file instead of the page. */
export function useDrop(disabled: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const onOver = (event: DragEvent) => {
      event.preventDefault();
      setOver(!disabled);
    };
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined && !disabled) onFile(file);
    };
    window.addEventListener("dragover", onOver, { signal });
    window.addEventListener("dragleave", onLeave, { signal });
    window.addEventListener("drop", onDrop, { signal });
    return () => controller.abort();
  }, [disabled, onFile]);
  return isOver;
}

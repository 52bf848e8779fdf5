// A place to drop files on, or to choose them.
import { FileUp } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "../page/button.tsx";

export interface FileDropProps {
  /** On the button. */
  label: string;
  /** What may be dropped here. */
  words: string;
  /** Of the field, for those who hear the page. */
  name: string;
  accept?: string;
  /** More than one at once. */
  many?: boolean;
  /** One line on a desk, where the list below it matters more. */
  slim?: boolean;
  disabled?: boolean;
  /** Folders by their names, and as what can be read: a folder that was chosen comes as its files. */
  onFiles: (files: File[], folders: string[], entries: FileSystemDirectoryEntry[]) => void;
  /** Beside the button. */
  children?: ReactNode;
}

export function FileDrop({ disabled = false, onFiles, ...props }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop(disabled, onFiles);
  return (
    <div
      className={`rounded-lg border border-dashed px-4 text-center ${props.slim === true ? slimBox : "py-8"} ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-surface"}`}
    >
      <FileUp size={26} aria-hidden className="mx-auto mb-2 text-soft" />
      <p className="mb-3 flex-1 text-soft">{props.words}</p>
      <div className="flex flex-wrap items-center justify-center gap-2">
        {props.children}
        <Button data-choose disabled={disabled} onClick={() => input.current?.click()}>
          {props.label}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        aria-label={props.name}
        accept={props.accept}
        multiple={props.many}
        className="hidden"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file, mended, is chosen anew.
          target.value = "";
          if (files.length > 0) onFiles(files, [], []);
        }}
      />
    </div>
  );
}

const slimBox = "py-4 md:flex md:items-center md:gap-3 md:text-left md:[&>*]:mx-0 md:[&>*]:mb-0";

/** Anywhere on the page: beside the place for it, a browser would open the file instead of the page. */
export function useDrop(disabled: boolean, onFiles: FileDropProps["onFiles"]): boolean {
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
      const { files, folders } = droppedIn(event.dataTransfer);
      const names = folders.map(({ name }) => name);
      if (files.length + folders.length > 0 && !disabled) onFiles(files, names, folders);
    };
    window.addEventListener("dragover", onOver, { signal });
    window.addEventListener("dragleave", onLeave, { signal });
    window.addEventListener("drop", onDrop, { signal });
    return () => controller.abort();
  }, [disabled, onFiles]);
  return isOver;
}

/** A folder looks like a file that cannot be read. */
function droppedIn(data: DataTransfer | null): {
  files: File[];
  folders: FileSystemDirectoryEntry[];
} {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => ({ file: item.getAsFile(), entry: item.webkitGetAsEntry() }));
  const isFolder = (entry: FileSystemEntry | null): entry is FileSystemDirectoryEntry =>
    entry?.isDirectory === true;
  return {
    files: entries.flatMap(({ file, entry }) => (isFolder(entry) || file === null ? [] : [file])),
    folders: entries.map(({ entry }) => entry).filter(isFolder),
  };
}

// What is attached to a turn: chosen, dropped into its text, or pasted; each can be removed again.
import { Paperclip, X } from "lucide-react";
import { useRef, useState } from "react";
import { useMe } from "../../kit/server/queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Button, IconButton } from "../../kit/page/button.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { accepted, attach, type Attached } from "./attached.ts";

/** `add` takes files from wherever they come; what is wrong with one is said under the turn. */
export function useAttaching(
  attached: readonly Attached[],
  onChange: (attached: Attached[]) => void,
) {
  const { permissions } = useMe();
  const { id: workspace } = useWorkspace();
  const [trouble, setTrouble] = useState<string>();
  const [reading, setReading] = useState(0);
  const latest = useRef(attached);
  latest.current = attached;
  async function add(files: readonly File[]): Promise<void> {
    setTrouble(undefined);
    setReading((count) => count + 1);
    const mayUpload = permissions.includes("files:use");
    for (const file of files)
      try {
        const made = await attach(file, { workspace, mayUpload });
        latest.current = [...latest.current, made];
        onChange([...latest.current]);
      } catch (error) {
        setTrouble(error instanceof Error ? error.message : `${file.name} cannot be attached.`);
      }
    setReading((count) => count - 1);
  }
  const remove = (key: number) => onChange(attached.filter((each) => each.key !== key));
  return { add, remove, trouble, isReading: reading > 0 };
}

export function AttachFiles({
  place,
  attached,
  attaching: { add, remove, trouble, isReading },
}: {
  place: number;
  attached: readonly Attached[];
  attaching: ReturnType<typeof useAttaching>;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="mt-1.5 grid gap-1.5">
      {attached.length > 0 && (
        <ul aria-label={`Attached to turn ${place}`} className="flex flex-wrap gap-1.5">
          {attached.map((each) => (
            <Chip key={each.key} attached={each} onRemove={() => remove(each.key)} />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          look="quiet"
          busy={isReading}
          aria-label={`Attach to turn ${place}`}
          onClick={() => input.current?.click()}
        >
          <Paperclip size={14} aria-hidden />
          {isReading ? "Reading…" : "Attach"}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          accept={accepted}
          aria-label={`Files for turn ${place}`}
          className="hidden"
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            target.value = "";
            void add(files);
          }}
        />
        {trouble !== undefined && (
          <p role="alert" className="min-w-0 text-sm text-bad wrap-anywhere">
            {trouble}
          </p>
        )}
      </div>
    </div>
  );
}

function Chip({ attached, onRemove }: { attached: Attached; onRemove: () => void }) {
  const { name, bytes, block } = attached;
  const source = (block?.["source"] ?? {}) as { type?: string; file_id?: string };
  return (
    <li
      title={source.file_id}
      className={`flex max-w-full items-center gap-1.5 rounded-md border bg-sunken py-0.5 pl-2 text-sm ${block === undefined ? "border-bad" : "border-line"}`}
    >
      <Paperclip size={14} aria-hidden className="shrink-0 text-soft" />
      <span className="min-w-0 truncate">{name}</span>
      <span className="whitespace-nowrap text-soft">
        {block === undefined ? "not kept" : source.type === "file" ? "in Files" : bytesText(bytes)}
      </span>
      <IconButton label={`Remove ${name}`} onClick={onRemove}>
        <X size={14} aria-hidden />
      </IconButton>
    </li>
  );
}

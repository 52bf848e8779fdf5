// Those of the listed files that are chosen, and what is done with all of them at once.
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../kit/page/button.tsx";
import type { FileInfo } from "../kit/server/api.ts";
import { plural } from "../../client/text/words.ts";

export interface Choice {
  ids: ReadonlySet<string>;
  files: readonly FileInfo[];
  all: readonly FileInfo[];
  toggle: (id: string) => void;
  set: (ids: readonly string[]) => void;
}

/** What is not in the list any more is not chosen any more. */
export function useChoice(all: readonly FileInfo[]): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const files = all.filter(({ id }) => chosen.has(id));
  const ids = new Set(files.map(({ id }) => id));
  return {
    ids,
    files,
    all,
    toggle: (id) => setChosen(ids.symmetricDifference(new Set([id]))),
    set: (next) => setChosen(new Set(next)),
  };
}

export function ChosenFiles({ choice, onDelete }: { choice: Choice; onDelete: () => void }) {
  const { files, all, set } = choice;
  const isAll = files.length === all.length;
  return (
    <div className="mb-2 flex min-h-10 flex-wrap items-center gap-3">
      <label className="flex cursor-pointer items-center gap-2.5 pl-3 text-sm text-soft">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={isAll}
          onChange={() => set(isAll ? [] : all.map(({ id }) => id))}
        />
        {files.length === 0 ? "Choose all on this page" : `${files.length} chosen`}
      </label>
      {files.length > 0 && (
        <Button onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
          Delete {plural(files.length, "file")}
        </Button>
      )}
    </div>
  );
}

// What can be done with a version: its text written back, taken home, or redacted.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Download, EyeOff, RotateCcw } from "lucide-react";
import type { Memory, MemoryVersion } from "../../kit/server/api.ts";
import type { Place } from "../memories/memory-editor.ts";
import { memoryQueries } from "../memory-queries.ts";
import { nameOf } from "../memory.ts";
import { saveAs } from "../../kit/server/save-as.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { Button } from "../../kit/page/button.tsx";
import { redactVersion } from "./redact-version.tsx";
import { restoreVersion } from "./restore-version.tsx";

export function VersionActs({ place, version }: { place: Place; version: MemoryVersion }) {
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const { workspace, store } = place;
  const memory = useQuery(memoryQueries.memory(workspace, store, version.memory_id));
  const text = useRestorable(place, version);
  const home = useQuery(memoryQueries.store(workspace, store));
  if (version.redacted_at !== null) return null;
  const isHead = memory.data?.memory_version_id === version.id;
  const isArchived = home.data !== undefined && home.data.archived_at !== null;
  const onRestored = ({ id }: Memory) =>
    void navigate({ to: "/memory/$id", params: { id: store }, search: { ...search, memory: id } });
  return (
    <>
      {text !== undefined && !isArchived && (
        <Button
          disabled={isHead || memory.data === undefined}
          onClick={() => restoreVersion({ place, version, text, onRestored })}
        >
          <RotateCcw size={16} aria-hidden />
          {isHead ? "This is the text of today" : "Restore"}
        </Button>
      )}
      <ActMenu
        label="More for this version"
        acts={[
          {
            label: "Download the text",
            icon: Download,
            when: version.content !== null,
            run: () =>
              saveAs(new Blob([version.content ?? ""]), nameOf(version.path ?? version.id)),
          },
          {
            label: "Redact",
            icon: EyeOff,
            isBad: true,
            run: () => redactVersion(place, version),
          },
        ]}
      />
    </>
  );
}

/** What can be written back: of a version that deleted, the text before it. */
function useRestorable({ workspace, store }: Place, version: MemoryVersion): string | undefined {
  const isDeletion = version.operation === "deleted" && version.redacted_at === null;
  const before = useQuery({
    ...memoryQueries.before(workspace, store, version),
    enabled: isDeletion,
  });
  const found = useQuery({
    ...memoryQueries.version(workspace, store, before.data?.id ?? ""),
    enabled: isDeletion && before.data != null,
  });
  return (isDeletion ? found.data?.content : version.content) ?? undefined;
}

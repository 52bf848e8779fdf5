// What can be done with a whole store: change what it says of itself, take it home, close it, delete it.
import { useNavigate } from "@tanstack/react-router";
import { Archive, Copy, Download, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { MemoryStore } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { useExport } from "./store-export.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { say } from "../../kit/page/toast.tsx";
import { StoreActs, type StoreAct } from "./store-acts.tsx";

export function StoreMenu({ store }: { store: MemoryStore }) {
  const [act, setAct] = useState<StoreAct>();
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const download = useExport(workspace.id, store);
  const isArchived = store.archived_at !== null;
  const copyId = async () => {
    await navigator.clipboard.writeText(store.id);
    say.good("The id is copied");
  };
  return (
    <>
      <ActMenu
        label="More for this store"
        acts={[
          {
            label: "Edit details",
            icon: Pencil,
            when: !isArchived,
            run: () => setAct("edit"),
          },
          { label: "Copy id", icon: Copy, run: () => void copyId() },
          { label: "Export as tar", icon: Download, run: download },
          { label: "Archive", icon: Archive, when: !isArchived, run: () => setAct("archive") },
          { label: "Delete store", icon: Trash2, isBad: true, run: () => setAct("delete") },
        ]}
      />
      <StoreActs
        act={act}
        store={store}
        workspace={workspace.id}
        onClose={() => setAct(undefined)}
        onDeleted={() => {
          queryClient.removeQueries({ queryKey: ["memory", workspace.id, "stores"] });
          void navigate({ to: "/memory", search: workspace.search });
        }}
      />
    </>
  );
}

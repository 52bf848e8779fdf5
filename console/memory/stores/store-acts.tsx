// What can be done with a whole store: change what it says of itself, take it home, close it, delete it.
import { Archive, Copy, Download, Pencil, Trash2 } from "lucide-react";
import { confirm } from "../../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../../kit/list/act-menu.tsx";
import { say } from "../../kit/page/say.ts";
import { server, type MemoryStore } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { plural } from "../../../client/text/words.ts";
import { forgetList, forgetStores, type Workspace } from "../memory-queries.ts";
import { exportStore } from "./store-export.ts";
import { editStore } from "./store-form.tsx";

export function storeActs(
  store: MemoryStore,
  workspace: Workspace,
  onDeleted?: () => void,
): MenuAct[] {
  const isOpen = store.archived_at === null;
  return [
    { label: "Edit details", icon: Pencil, when: isOpen, run: () => editStore(store, workspace) },
    { label: "Copy id", icon: Copy, run: () => void copyId(store) },
    {
      label: "Export as tar",
      icon: Download,
      run: () => void exportStore(workspace, store),
    },
    { label: "Archive", icon: Archive, when: isOpen, run: () => archive(store, workspace) },
    {
      label: "Delete store",
      icon: Trash2,
      isBad: true,
      run: () => remove(store, workspace, onDeleted),
    },
  ];
}

async function copyId({ id }: MemoryStore): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const asked = (store: MemoryStore, workspace: Workspace) => ({
  params: { memory_store_id: store.id },
  headers: inWorkspace(workspace),
});

const archive = (store: MemoryStore, workspace: Workspace) =>
  confirm({
    title: "Archive this store for ever?",
    label: "Archive the store",
    keep: "Keep it",
    run: () => server.memory_stores.archive(asked(store, workspace)),
    done: `${store.name} is archived`,
    renew: forgetStores,
    children: (
      <>
        <p>
          Its {plural(store.memory_count, "memory", "memories")} can be read from now on, and
          nothing can be written: agents that want to are refused, and no session can be given this
          store any more.
        </p>
        <p>
          Deleting a memory, redacting versions and deleting the store go on. An archived store
          never opens again: to go on with it, export it and import that as a new one.
        </p>
      </>
    ),
  });

const remove = (store: MemoryStore, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this store?",
    label: "Delete the store",
    keep: "Keep it",
    typed: store.name,
    run: () => server.memory_stores.delete(asked(store, workspace)),
    done: `${store.name} is deleted`,
    renew: () => forgetList(workspace),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        Its {plural(store.memory_count, "memory", "memories")} and every version of them (
        {bytesText(store.size_bytes)}) are gone for everybody, at once. This cannot be undone:
        export the store before, if somebody may want it.
      </p>
    ),
  });

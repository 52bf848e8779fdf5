// What can be done with a file: shown, named in a message, fetched, its id copied, deleted.
import { Code, Copy, Download, Eye, Trash2 } from "lucide-react";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { say } from "../kit/page/say.ts";
import type { FileInfo } from "../kit/server/api.ts";
import { saveAs } from "../kit/server/save-as.ts";
import type { useWorkspace } from "../kit/server/workspace.ts";
import { deleteFiles } from "./delete-files.tsx";
import { contentOf } from "./file-queries.ts";
import { blockOf, isExpired } from "./files.ts";

/** The file that is shown stands in the address, so that it can be shared. */
export function useShownFile() {
  const [{ file: id, view }, change] = useSearchState();
  const show = (file?: FileInfo, view?: string) =>
    change({ file: file?.id, view }, file !== undefined && id === undefined);
  return { id, view, show, setView: (view: string | undefined) => change({ view }) };
}

export function fileActs(
  file: FileInfo,
  workspace: ReturnType<typeof useWorkspace>,
  show: ReturnType<typeof useShownFile>["show"],
): MenuAct[] {
  const isThere = !isExpired(file);
  return [
    { label: "Show", icon: Eye, run: () => show(file) },
    {
      label: "Use in a message",
      icon: Code,
      run: () => show(file, "use"),
      when: isThere && blockOf(file) !== undefined,
    },
    {
      label: "Download",
      icon: Download,
      run: () => void download(file, workspace),
      when: isThere,
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(file) },
    {
      label: "Delete",
      icon: Trash2,
      run: () => deleteFiles([file], workspace.id, show),
      isBad: true,
    },
  ];
}

async function copyId({ id }: FileInfo): Promise<void> {
  try {
    await navigator.clipboard.writeText(id);
    say.good("Id copied");
  } catch {
    say.bad(`This browser does not let the page copy. The id is ${id}.`);
  }
}

/** The browser fetches it by itself, with the cookie, where that says which workspace: it can be large. */
export async function download(file: FileInfo, { id, isHome }: ReturnType<typeof useWorkspace>) {
  if (isHome) {
    const link = document.createElement("a");
    link.href = `/console/api/files/${file.id}/content`;
    link.download = file.filename;
    link.click();
    return;
  }
  try {
    const response = await contentOf(id, file.id);
    saveAs(await response.blob(), file.filename);
  } catch (error) {
    say.error(error);
  }
}

// What is done with a file that is there: its id copied, its content fetched.
import { say } from "../kit/page/toast.tsx";
import type { FileInfo } from "../kit/server/api.ts";
import { contentOf } from "./file-queries.ts";
import { saveAs } from "../kit/server/save-as.ts";
import type { useWorkspace } from "../kit/server/workspace.ts";

export async function copyId({ id }: FileInfo): Promise<void> {
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

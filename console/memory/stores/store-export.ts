// A store as a file: everything in it, with its history.
import { say } from "../../kit/page/say.ts";
import { server, type MemoryStore } from "../../kit/server/api.ts";
import { saveAs } from "../../kit/server/save-as.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";

/** A link cannot send the header that the route wants: the page fetches the file, and hands it over whole. */
export async function exportStore(workspace: string | undefined, store: MemoryStore) {
  say.good(`${store.name} is being packed`);
  try {
    const answer = await server.memory_stores.export({
      params: { memory_store_id: store.id },
      headers: inWorkspace(workspace),
    });
    saveAs(await answer.blob(), `${fileNameOf(store.name)}.tar`);
  } catch (error) {
    say.error(error);
  }
}

/** What every file system takes. */
const fileNameOf = (name: string): string =>
  name
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, "-")
    .replaceAll(/^[. -]+|[. -]+$/g, "")
    .slice(0, 100) || "memory-store";

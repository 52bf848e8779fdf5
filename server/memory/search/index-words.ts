// Finds the words of memories that were written since the last time: to look for them, or every minute.
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import { toSearchText } from "./snippet.ts";

/** Of one workspace, or of all: until none is left, or the signal stops it. */
export async function indexWords(
  { db }: Pick<World, "db">,
  workspaceId: string | null,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const found = await db.tx(async (tx) => {
      const unsearched = await queries.lockUnsearched(tx, workspaceId, limits.wordsFoundAtOnce);
      await queries.setWords(
        tx,
        unsearched.map(({ id, path, content }) => ({
          id,
          pathWords: toSearchText(path.replaceAll(/[/._-]/g, " ")),
          words: toSearchText(content),
        })),
      );
      return unsearched.length;
    });
    if (found < limits.wordsFoundAtOnce) return;
  }
}

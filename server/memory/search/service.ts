// Full-text search over the live memories of a workspace, for people in the console.
import type { Context } from "../../../kernel/context.ts";
import { makeCursors, pageSize, toCursorPage } from "../../../kernel/http/pages.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";
import type { SearchQuery } from "../schema.ts";
import { toSearchText, snippetOf, wordsIn } from "./snippet.ts";
import { indexWords } from "./index-words.ts";
import { workspaceOf } from "../../workspaces/module.ts";

/** Best first: a match in the path counts more than one in the text. */
export async function searchMemories(context: Context, query: SearchQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit, { itemsMax: limits.fullPageItemsMax });
  const cursors = makeCursors(secrets);
  const list = `search for ${query.q}`;
  const passed = (cursors.read(list, workspaceId, query.page) as number | undefined) ?? 0;
  const words = toSearchText(query.q);
  await indexWords(context, workspaceId, context.signal);
  const rows = await queries.search(db, workspaceId, {
    ...splitBeginning(words),
    storeId: query.memory_store_id ?? null,
    passed,
    rows: size + 1,
  });
  const page = toCursorPage(rows, size, () => cursors.write(list, workspaceId, passed + size));
  const wanted = wordsIn(words);
  return {
    ...page,
    data: page.data.map(({ updatedAt, content, ...row }) => ({
      ...row,
      type: "memory_match" as const,
      snippet: snippetOf(content, wanted),
      updated_at: updatedAt.toISOString(),
    })),
  };
}

/** The word that is being typed may be the beginning of one, outside of quotes and where it is not excluded. */
function splitBeginning(words: string): {
  words: string;
  before: string;
  beginning: string | null;
} {
  const beginning = /(?<=^|\s)[\p{L}\p{N}]+$/u.exec(words)?.[0] ?? null;
  const isQuoted = words.split('"').length % 2 === 0;
  if (beginning === null || isQuoted) return { words, before: "", beginning: null };
  return { words, before: words.slice(0, -beginning.length), beginning };
}

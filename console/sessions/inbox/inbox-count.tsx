// How many sessions wait for a person, beside the inbox in the navigation.
import { useInfiniteQuery } from "@tanstack/react-query";
import { plural } from "../../../client/text/words.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { sessionQueries } from "../session-queries.ts";

/** On every page: no oftener than the overview. What a page of sessions learns is looked at when it learns it. */
const lookMs = 30_000;

export function Beside() {
  const { id: workspace } = useWorkspace();
  const { data, hasNextPage } = useInfiniteQuery(sessionQueries.waiting(workspace, lookMs));
  const count = data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  if (count === 0) return null;
  const words = plural(count, "session waits", "sessions wait");
  return (
    <span className="ml-auto rounded-full bg-accent px-1.5 text-xs leading-5 font-medium text-accent-ink tabular-nums">
      <span aria-hidden>{hasNextPage ? `${count}+` : count}</span>
      {/* Said after the name of the page: `Inbox 3 sessions wait`. */}
      <span className="sr-only">
        {words}
        {hasNextPage && " or more"}
      </span>
    </span>
  );
}

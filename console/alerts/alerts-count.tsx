// How many alerts fire, beside their page in the navigation.
import { useInfiniteQuery } from "@tanstack/react-query";
import { plural } from "../../client/text/words.ts";
import { alertQueries } from "./queries.ts";

export function Beside() {
  const { data, hasNextPage } = useInfiniteQuery(alertQueries.list("firing"));
  const count = data?.pages.reduce((sum, page) => sum + page.data.length, 0) ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-bad-soft px-1.5 text-xs leading-5 font-medium text-bad tabular-nums">
      <span aria-hidden>{hasNextPage ? `${count}+` : count}</span>
      {/* Said after the name of the page: `Alerts 3 fire`. */}
      <span className="sr-only">
        {plural(count, "fires", "fire")}
        {hasNextPage && " or more"}
      </span>
    </span>
  );
}

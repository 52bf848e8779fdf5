// What fires, in one line; nothing where nothing does.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BellRing } from "lucide-react";
import { useMe } from "../kit/server/queries.ts";
import { alertQueries } from "./queries.ts";

export const AlertsBanner = () => (useMe().permissions.includes("limits:read") ? <Firing /> : null);

function Firing() {
  const { data } = useInfiniteQuery(alertQueries.list("firing"));
  const alerts = data?.pages.flatMap((page) => page.data) ?? [];
  const [first] = alerts;
  if (first === undefined) return null;
  const more = alerts.length - 1;
  return (
    <p
      role="status"
      className="mb-6 flex items-center gap-2.5 rounded-lg bg-bad-soft px-4 py-2.5 text-bad"
    >
      <BellRing size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 truncate" title={first.summary}>
        {first.summary}
      </span>
      <Link to="/alerts" className="shrink-0 font-medium underline underline-offset-2">
        {more === 0 ? "Alerts" : `And ${more.toLocaleString("en")} more`}
      </Link>
    </p>
  );
}

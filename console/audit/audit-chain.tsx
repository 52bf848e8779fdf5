// How the chain of the audit log stands: one badge, with the rest behind it.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { exactTime, relativeTime } from "../kit/value/time.ts";
import { plural } from "../../client/text/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { auditQueries } from "./queries.ts";

export function ChainState() {
  const { data: chain } = useQuery(auditQueries.chain);
  if (chain === undefined) return null;
  const { events, unsealed, problem, verified_at, verified_events, anchored_at } = chain;
  return (
    <details className="group mb-4 rounded-lg border border-line bg-surface px-3 py-2">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1">
        {problem === null ? (
          <Badge tone={verified_at === null ? "neutral" : "good"}>
            {verified_at === null ? "Not verified yet" : `Verified up to event ${verified_events}`}
          </Badge>
        ) : (
          <Badge tone="bad">Broken</Badge>
        )}
        <span className="text-sm text-soft">
          {plural(events, "event")} in the chain
          {verified_at !== null && `, looked at ${relativeTime(verified_at)}`}
        </span>
        <ChevronDown size={16} aria-hidden className="ml-auto text-soft group-open:rotate-180" />
      </summary>
      <div className="mt-2 grid max-w-[75ch] gap-2 text-sm">
        {problem !== null && (
          <p role="alert" className="text-bad">
            {problem} Keep a copy of the database and of its backups, and find out who could write
            to it.
          </p>
        )}
        <p className="text-soft">
          Each event holds a hash of itself and of the one before it, so nothing can be changed,
          taken out or put in between without a trace. The whole chain is looked at every night
          {verified_at !== null && ` (last on ${exactTime(verified_at)})`}, and its end is signed
          every minute
          {anchored_at !== null && ` (last on ${exactTime(anchored_at)})`}. To look now, run{" "}
          <code className="font-mono">./plinth doctor --audit</code> on the server.
        </p>
        {unsealed > 0 && (
          <p className="text-soft">
            {plural(unsealed, "older event")} will be shown here within some minutes.
          </p>
        )}
      </div>
    </details>
  );
}

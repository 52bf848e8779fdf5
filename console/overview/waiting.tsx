// What waits for a person: each kind in a sentence, each thing a link to where it is set going again.
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { plural } from "../../client/text/words.ts";
import { Section } from "../kit/page/page-header.tsx";
import { useWorkspace } from "../kit/server/workspace.ts";
import { Time } from "../kit/value/time.tsx";
import type { Overview } from "./queries.ts";

type Waiting = Overview["waiting"][number];
type Item = Waiting["items"][number];

const sentences: Record<Waiting["kind"], (count: number) => string> = {
  session: (count) => `${plural(count, "session waits", "sessions wait")} for an answer`,
  spend_request: (count) => `${plural(count, "member asks", "members ask")} for a higher limit`,
  deployment: (count) =>
    `${plural(count, "deployment is", "deployments are")} paused after a failure`,
  credential: (count) => `${plural(count, "credential", "credentials")} cannot be renewed`,
  webhook: (count) =>
    `${plural(count, "webhook was", "webhooks were")} switched off after failures`,
  invite: (count) => `${plural(count, "invite ends", "invites end")} within two days`,
};

export function WaitingForPeople({ waiting }: { waiting: readonly Waiting[] }) {
  return (
    <Section title="Waits for you">
      {waiting.length === 0 ? (
        <p className="flex items-center gap-2 text-soft">
          <CircleCheck size={18} aria-hidden className="text-good" />
          Nothing waits for you.
        </p>
      ) : (
        <ul aria-label="What waits" className="rounded-lg border border-line bg-surface">
          {waiting.map((kind) => (
            <li key={kind.kind} className="border-line px-4 py-2.5 not-last:border-b">
              <span className="font-medium">{sentences[kind.kind](kind.count)}</span>
              <ul className="mt-0.5 flex flex-wrap gap-x-4 gap-y-1">
                {kind.items.map((item) => (
                  <li key={`${item.id} ${item.name} ${item.since}`} className="min-w-0">
                    <WhereItWaits kind={kind.kind} item={item} />{" "}
                    <span className="text-sm text-soft">
                      <Time at={item.since} isShort />
                    </span>
                  </li>
                ))}
                {kind.count > sum(kind.items) && (
                  <li className="text-soft">
                    and {(kind.count - sum(kind.items)).toLocaleString("en")} more
                  </li>
                )}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const sum = (items: readonly Item[]) => items.reduce((all, { count }) => all + count, 0);

const look = "text-accent underline underline-offset-2 wrap-anywhere";

function WhereItWaits({ kind, item }: { kind: Waiting["kind"]; item: Item }) {
  const { searchOf } = useWorkspace();
  const { id, name, count } = item;
  const there = {
    params: { id },
    search: searchOf(item.workspace_id ?? undefined),
    className: look,
  };
  const links = {
    session: (
      <Link to="/inbox" search={there.search} className={look}>
        {count.toLocaleString("en")} in {name}
      </Link>
    ),
    deployment: (
      <Link to="/deployments/$id" {...there}>
        {name}
      </Link>
    ),
    credential: (
      <Link to="/vaults/$id" {...there}>
        {name}
      </Link>
    ),
    webhook: (
      <Link to="/webhooks/$id" params={{ id }} className={look}>
        {name}
      </Link>
    ),
    invite: (
      <Link to="/members" className={look}>
        {name}
      </Link>
    ),
    spend_request: (
      <Link to="/limits" search={{ tab: "requests" }} className={look}>
        {name}
      </Link>
    ),
  };
  return links[kind];
}

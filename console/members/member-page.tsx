// One member, or one who left: their role, when they were here last, what they spend, their keys, and what they did.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { keyColumns } from "../keys/key-columns.tsx";
import { keyQueries } from "../keys/queries.ts";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import { buttonClass } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { LastRequest } from "../object-page/last-use.tsx";
import { ObjectPage } from "../object-page/object-page.tsx";
import type { Subject } from "../object-page/subject.ts";
import { maySeeRequests } from "../kit/value/object-link.tsx";
import { memberActs } from "./member-acts.tsx";
import { memberQueries, type Person } from "./member-queries.ts";
import { RoleBadge } from "./roles.tsx";

export function Page() {
  const id = useIdOfPage();
  const { user, permissions } = useMe();
  const seats = useQuery({ ...memberQueries.seats, enabled: permissions.includes("seats:read") });
  const maySeat = (seats.data?.data.length ?? 0) > 0 && permissions.includes("seats:write");
  const subject: Subject = { kind: "person", id };
  return (
    <ObjectPage
      back={{ to: "/members", label: "All members" }}
      noun="Member"
      read={useQuery(memberQueries.one(id))}
      subject={subject}
      titleOf={({ name }) => (id === user.id ? `${name} (you)` : name)}
      aboutOf={(person) => <Standing of={person} />}
      actsOf={({ member }) => (member === null ? [] : memberActs(member, maySeat))}
      factsOf={(person) => <PersonFacts of={person} />}
      ownOf={(person) => permissions.includes("api_keys:read") && <KeysOf id={person.id} />}
      limitedOf={({ member }) => (member === null ? undefined : { person: id })}
    />
  );
}

function Standing({ of: { member, removed_at: left } }: { of: Person }) {
  if (member !== null) {
    return (
      <span className="inline-flex flex-wrap items-center gap-2">
        <RoleBadge role={member.role} />
        <span className="wrap-anywhere">{member.email}</span>
      </span>
    );
  }
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Badge>Left</Badge>
      {left !== null && (
        <span>
          <Time at={left} />: they cannot sign in any more, and keys that they made work on.
        </span>
      )}
    </span>
  );
}

function PersonFacts({ of: { id, member } }: { of: Person }) {
  const mayLog = maySeeRequests(useMe());
  return (
    <Facts>
      <IdRow id={id} />
      {member !== null && (
        <>
          <FactRow name="Joined">
            <Time at={member.added_at} />
          </FactRow>
          {member.seat_tier !== null && <FactRow name="Seat">{member.seat_tier}</FactRow>}
          <FactRow name="Last use">
            <Time at={laterOf(member.last_seen_at, member.last_key_use_at)} />
            <span className="block text-sm text-soft">
              In the console: <Time at={member.last_seen_at} never="not signed in" />. With a key of
              theirs: <Time at={member.last_key_use_at} />.
            </span>
            {mayLog && <LastRequest subject={{ kind: "person", id }} />}
          </FactRow>
        </>
      )}
    </Facts>
  );
}

/** The texts are all of one form. */
const laterOf = (one: string | null, other: string | null): string | null =>
  [one, other]
    .filter((at) => at !== null)
    .toSorted()
    .at(-1) ?? null;

const shownMax = 10;

/** Those that they made: what they ask for counts as theirs in usage. */
function KeysOf({ id }: { id: string }) {
  const { more, ...list } = usePagedList(keyQueries.list({ created_by_user_id: id }));
  const hasMore = more !== undefined || list.rows.length > shownMax;
  return (
    <Section
      title="Keys"
      note="API keys, admin keys and access tokens that they made."
      actions={
        hasMore && (
          <Link to="/keys" search={{ maker: id, status: "all" }} className={buttonClass()}>
            <KeyRound size={16} aria-hidden />
            All keys of theirs
          </Link>
        )
      }
    >
      <ListView
        label="Keys"
        list={{ ...list, rows: list.rows.slice(0, shownMax), more: undefined }}
        columns={keyColumns}
        empty={{ children: "They made none." }}
      />
    </Section>
  );
}

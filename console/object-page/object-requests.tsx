// The last requests of a thing, as the request log shows them, or the last that failed.
import { Link } from "@tanstack/react-router";
import { buttonClass, Button } from "../kit/page/button.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { exactTime } from "../kit/value/time.ts";
import { requestColumns } from "../requests/list/request-columns.tsx";
import { maySeeRequests } from "../kit/value/object-link.tsx";
import { dayText } from "../kit/list/timeline.ts";
import { recentMax, useRecent } from "./recent.ts";
import { requestFilter, type Subject } from "./subject.ts";

export function ObjectRequests({ subject }: { subject: Subject }) {
  return maySeeRequests(useMe()) ? <Requests subject={subject} /> : null;
}

function Requests({ subject }: { subject: Subject }) {
  const [{ requests }, change] = useSearchState();
  const isFailed = requests === "failed";
  const { more: _, ...list } = useRecent(subject, isFailed);
  const { searchedTo } = list;
  const search = { ...requestFilter(subject), ...(isFailed && { status: "error" }) };
  return (
    <Section
      title="Recent requests"
      note={noteOf(subject)}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button
            aria-pressed={isFailed}
            className={isFailed ? "bg-accent-soft" : ""}
            onClick={() => change({ requests: isFailed ? undefined : "failed" })}
          >
            Failed ones only
          </Button>
          <Link to="/requests" search={search} className={buttonClass()}>
            {isFailed ? "All failed requests" : "All requests"}
          </Link>
        </div>
      }
    >
      <ListView
        label="Recent requests"
        list={{ ...list, more: undefined }}
        columns={requestColumns}
        sectionOf={({ at }) => dayText(at)}
        empty={{
          children:
            searchedTo === undefined
              ? `No ${isFailed ? "failed " : ""}request of it is in the log.`
              : `Nothing found back to ${exactTime(searchedTo)}: the list of all requests looks further.`,
        }}
      />
    </Section>
  );
}

/** What a key asks for is the key's. */
const noteOf = ({ kind }: Subject) =>
  kind === "person"
    ? `The last ${recentMax} with a sign-in or token of theirs; those of a key are on the page of the key.`
    : `The last ${recentMax} of the log.`;

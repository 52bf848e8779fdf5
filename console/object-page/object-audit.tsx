// What was done to a thing, and by it: the last events of the audit log.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AuditLines } from "../audit/audit-line.tsx";
import type { AuditFilter } from "../audit/audit.ts";
import { auditQueries } from "../audit/queries.ts";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useMe } from "../kit/server/queries.ts";
import { isActor, type Subject } from "./subject.ts";

const toSubject = {
  title: "Done to it",
  none: "Nothing was done to it.",
  all: "All that was done to it",
};
const bySubject = { title: "Done by it", none: "It did nothing.", all: "All that it did" };
const toPerson = {
  title: "Done to them",
  none: "Nothing was done to them.",
  all: "All that was done to them",
};
const byPerson = { title: "Done by them", none: "They did nothing.", all: "All that they did" };

export function ObjectAudit({ subject }: { subject: Subject }) {
  if (!useMe().permissions.includes("audit:read")) return null;
  const isPerson = subject.kind === "person";
  return (
    <Section title="Audit">
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <Events words={isPerson ? toPerson : toSubject} filter={{ target_id: subject.id }} />
        {isActor(subject) && (
          <Events words={isPerson ? byPerson : bySubject} filter={{ actor_id: subject.id }} />
        )}
      </div>
    </Section>
  );
}

function Events({
  words: { title, none, all },
  filter,
}: {
  words: typeof toSubject;
  filter: AuditFilter;
}) {
  const { data, error, refetch } = useQuery(auditQueries.last(filter));
  return (
    <section className="min-w-0">
      <h3 className="mb-2 font-medium">{title}</h3>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={2} />}
      {data?.data.length === 0 && <p className="text-soft">{none}</p>}
      {data !== undefined && data.data.length > 0 && (
        <>
          <AuditLines entries={data.data} />
          <p className="mt-2">
            <Link to="/audit" search={{ ...filter }} className="underline underline-offset-2">
              {all}
            </Link>
          </p>
        </>
      )}
    </section>
  );
}

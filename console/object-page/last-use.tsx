// When a thing was used last, with the request: a row of its facts.
import { FactRow } from "../kit/value/facts.tsx";
import { RequestId } from "../kit/server/request-id.tsx";
import { useMe } from "../kit/server/queries.ts";
import { agoText, exactTime } from "../kit/value/time.ts";
import { useLastUse, useRecent } from "./recent.ts";
import { maySeeSpend, type Subject } from "./subject.ts";

/** `43 days ago`, with the moment in the title. */
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={exactTime(at)}>
    {agoText(at)}
  </time>
);

/** Of a thing whose last use is not kept by itself: nothing for those who may not see what it was used for. */
export function LastUse({ subject }: { subject: Subject }) {
  return maySeeSpend(useMe()) ? <ByLog subject={subject} /> : null;
}

function ByLog({ subject }: { subject: Subject }) {
  const { request, dayMs, isPending } = useLastUse(subject);
  return (
    <FactRow name="Last use">
      {request !== undefined ? (
        <>
          <Ago at={request.at} />, <RequestId id={request.id} />
        </>
      ) : isPending ? (
        <span className="text-soft">Looking…</span>
      ) : dayMs === undefined ? (
        "Never in the last year"
      ) : (
        new Date(dayMs).toISOString().slice(0, 10)
      )}
    </FactRow>
  );
}

/** The request of a last use that is known already. */
export function LastRequest({ subject }: { subject: Subject }) {
  const [request] = useRecent(subject).rows;
  return request === undefined ? null : (
    <span className="block text-sm text-soft">
      Its last request: <RequestId id={request.id} />
    </span>
  );
}

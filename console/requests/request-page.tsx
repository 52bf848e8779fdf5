// One request: what came of it, who asked, which models were tried and how long each took, and what it cost.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { SquareTerminal } from "lucide-react";
import { buttonClass } from "../kit/page/button.tsx";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";
import { ApiError, type LoggedRequest } from "../kit/server/api.ts";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Code } from "../kit/value/snippet.tsx";
import { Attempts } from "./one/attempts.tsx";
import { RequestFacts } from "./one/request-facts.tsx";
import { curlOf } from "./one/request-curl.ts";
import { NoSuchRequest } from "./one/no-such-request.tsx";
import { Said } from "./one/said.tsx";
import { Used } from "./one/used.tsx";
import { requestQueries } from "./queries.ts";
import { asksModel, kindOf } from "./requests.ts";

export function Page() {
  const id = useIdOfPage();
  const read = useQuery(requestQueries.one(id));
  const isMissing = read.error instanceof ApiError && read.error.status === 404;
  return (
    <>
      <DetailPage
        back={{ to: "/requests", label: "All requests" }}
        noun="Request"
        read={isMissing ? { ...read, error: null } : read}
        isMissing={isMissing}
        titleOf={kindOf}
        aboutOf={() => <span className="font-mono text-sm">{id}</span>}
        besideOf={(request) => (
          <>
            <CopyButton text={id} label="Copy id" />
            <Again request={request} />
          </>
        )}
      >
        {(request) => <Parts request={request} />}
      </DetailPage>
      {isMissing && <NoSuchRequest id={id} retry={() => void read.refetch()} />}
    </>
  );
}

/** The same by hand, and as a command. */
function Again({ request }: { request: LoggedRequest }) {
  const url = useServerUrl();
  const { permissions } = useMe();
  const curl = curlOf(request, url);
  const { model } = request;
  return (
    <>
      {curl !== undefined && <CopyButton text={curl} label="Copy as curl" />}
      {model !== null && asksModel(request) && permissions.includes("messages:use") && (
        <Link to="/playground" search={{ model }} className={buttonClass()}>
          <SquareTerminal size={16} aria-hidden />
          Open in playground
        </Link>
      )}
    </>
  );
}

function Parts({ request }: { request: LoggedRequest }) {
  const url = useServerUrl();
  const curl = curlOf(request, url);
  const { error } = request;
  return (
    <>
      {error !== null && (
        <div className="mb-6 rounded-lg bg-bad-soft p-3 text-bad">
          <p className="font-mono text-sm">{error.type}</p>
          <p className="wrap-anywhere">{error.message || "Without a sentence."}</p>
        </div>
      )}
      <RequestFacts request={request} />
      {request.attempts.length > 0 && <Attempts request={request} />}
      {request.usage !== null && <Used usage={request.usage} cost={request.cost} />}
      <Said key={request.id} request={request} />
      {curl !== undefined && (
        <Section
          title="Ask it again"
          note="Without what was said: put your own words in place of the dots."
        >
          <Code code={curl} label="The request as curl" />
        </Section>
      )}
    </>
  );
}

// What is known of a request, with ways to all that it has to do with, and to requests like it.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequest } from "../../kit/server/api.ts";
import { useMe } from "../../kit/server/queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { FactRow, Facts } from "../../kit/value/facts.tsx";
import { ObjectLink, textLink } from "../../kit/value/object-link.tsx";
import { exactTime } from "../../kit/value/time.ts";
import { Time } from "../../kit/value/time.tsx";
import { spaced } from "../../kit/value/words.ts";
import { CallerName, nounOf, WorkspaceName } from "../party.tsx";
import { msText, statusTone } from "../requests.ts";

export function RequestFacts({ request }: { request: LoggedRequest }) {
  const { status, at, method, path, operation, stop_reason: reason } = request;
  return (
    <Facts>
      <FactRow name="Status">
        <span className="inline-flex flex-wrap items-center gap-2">
          <Badge tone={statusTone(status)}>{status}</Badge>
          {reason === "refusal" && <Badge tone="warn">Refused</Badge>}
          {request.fell_back && <Badge tone="accent">Fell back</Badge>}
        </span>
      </FactRow>
      <FactRow name="Came">
        {exactTime(at)}{" "}
        <span className="text-soft">
          (<Time at={at} />)
        </span>
      </FactRow>
      <FactRow name="Took">{tookWords(request)}</FactRow>
      <FactRow name="Operation">
        <Like search={{ operation }} of="operation">
          <span className="font-mono text-sm wrap-anywhere">{operation}</span>
        </Like>
        {method !== null && (
          <span className="block font-mono text-sm text-soft wrap-anywhere">
            {method} {path}
          </span>
        )}
      </FactRow>
      {method === null && path !== null && <FactRow name="Tool">{path}</FactRow>}
      <Models request={request} />
      {reason !== null && <FactRow name="Stop reason">{spaced(reason)}</FactRow>}
      <Parties request={request} />
    </Facts>
  );
}

function tookWords({ duration_ms: ms, first_token_ms: first }: LoggedRequest): string {
  const whole = msText(ms);
  return first === null ? whole : `${whole}, the first word after ${msText(first)}`;
}

function Models({ request }: { request: LoggedRequest }) {
  const { model, served_model: served, upstream } = request;
  if (model === null) return null;
  return (
    <>
      <FactRow name="Model asked">
        <Like search={{ model: served ?? model }} of="model">
          <ObjectLink id={model} kind="model" />
        </Like>
      </FactRow>
      <FactRow name="Answered by">
        {served === null ? "No model" : <ObjectLink id={served} kind="model" />}
      </FactRow>
      {upstream !== null && <FactRow name="Upstream">{upstream}</FactRow>}
    </>
  );
}

function Parties({ request }: { request: LoggedRequest }) {
  const {
    credential_id: credential,
    user_id: user,
    workspace_id: workspace,
    session_id: session,
    batch_id: batch,
  } = request;
  const place = useWorkspace().searchOf(workspace ?? undefined);
  return (
    <>
      <FactRow name={nounOf(credential)}>
        <Like search={{ credential_id: credential }} of={nounOf(credential).toLowerCase()}>
          <CallerName request={{ credential_id: credential, user_id: null }} />
        </Like>
      </FactRow>
      {user !== null && user !== credential && (
        <FactRow name={nounOf(user)}>
          <Like search={{ user_id: user }} of={nounOf(user).toLowerCase()}>
            <CallerName request={{ credential_id: user, user_id: null }} />
          </Like>
        </FactRow>
      )}
      {workspace !== null && (
        <FactRow name="Workspace">
          <Like search={{ workspace_id: workspace }} of="workspace">
            <WorkspaceName id={workspace} />
          </Like>
        </FactRow>
      )}
      {session !== null && (
        <FactRow name="Session">
          <Like search={{ session_id: session }} of="session">
            <Allowed
              permission="sessions:use"
              link={{ to: "/sessions/$id", params: { id: session }, search: place }}
            >
              <span className="font-mono text-sm break-all">{session}</span>
            </Allowed>
          </Like>
        </FactRow>
      )}
      {batch !== null && (
        <FactRow name="Batch">
          <Like search={{ batch_id: batch }} of="batch">
            <Allowed
              permission="batches:use"
              link={{ to: "/batches/$id", params: { id: batch }, search: place }}
            >
              <span className="font-mono text-sm break-all">{batch}</span>
            </Allowed>
          </Like>
        </FactRow>
      )}
    </>
  );
}

type Way = Pick<LinkProps, "to" | "params" | "search">;

function Allowed({
  permission,
  link,
  children,
}: {
  permission: string;
  link: Way;
  children: ReactNode;
}) {
  if (!useMe().permissions.includes(permission)) return children;
  return (
    <Link {...link} className={textLink}>
      {children}
    </Link>
  );
}

/** Beside a fact the way to all requests that have it in common. */
function Like({
  search,
  of,
  children,
}: {
  search: Record<string, string>;
  of: string;
  children: ReactNode;
}) {
  return (
    <span className="flex flex-wrap items-baseline gap-x-3">
      {children}
      <Link
        to="/requests"
        search={search}
        className="text-sm text-soft underline underline-offset-2 hover:text-ink"
      >
        All of this {of}
      </Link>
    </span>
  );
}

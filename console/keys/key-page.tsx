// One key: how it stands, when it was used last and for what, what it costs, and what it may not do now.
import { useQuery } from "@tanstack/react-query";
import { useIdOfPage } from "../kit/page/page-id.ts";
import type { Key } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { maySeeRequests, ObjectLink } from "../kit/value/object-link.tsx";
import { exactTime } from "../kit/value/time.ts";
import { Time } from "../kit/value/time.tsx";
import { LastRequest } from "../object-page/last-use.tsx";
import { ObjectPage } from "../object-page/object-page.tsx";
import type { Subject } from "../object-page/subject.ts";
import { keyActs } from "./key-acts.tsx";
import { kindWords, makerWords } from "./key-columns.tsx";
import { expiresSoon, isUnused, KeyStatusBadge, refusedWords, usedWords } from "./key-state.tsx";
import { keyQueries } from "./queries.ts";

export function Page() {
  const id = useIdOfPage();
  const { permissions } = useMe();
  const subject: Subject = { kind: "key", id };
  return (
    <ObjectPage
      back={{ to: "/keys", label: "All API keys" }}
      noun="API key"
      read={useQuery(keyQueries.one(id))}
      subject={subject}
      titleOf={({ name }) => name}
      aboutOf={(key) => <Standing of={key} />}
      actsOf={permissions.includes("api_keys:write") ? keyActs : undefined}
      factsOf={(key) => <KeyFacts of={key} subject={subject} />}
      limitedOf={(key) => ({
        workspaceId: key.workspace_id ?? undefined,
        refused: refusedWords(key),
      })}
    />
  );
}

function Standing({ of: key }: { of: Key }) {
  const isIdle = key.status === "active" && isUnused(key);
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <KeyStatusBadge status={key.status} />
      {expiresSoon(key) && <Badge tone="warn">Expires soon</Badge>}
      {isIdle && <Badge tone="warn">Unused</Badge>}
      <span title={key.last_used_at === null ? undefined : exactTime(key.last_used_at)}>
        {usedWords(key)}
      </span>
      {isIdle && <span>: if no program needs it, deactivate it.</span>}
    </span>
  );
}

function KeyFacts({ of: key, subject }: { of: Key; subject: Subject }) {
  const { id, kind, workspace_id: workspace, workspace_name: place, created_by: maker } = key;
  const mayLog = maySeeRequests(useMe());
  return (
    <Facts>
      <IdRow id={id} />
      <FactRow name="Key">
        <span className="font-mono text-sm break-all">{key.partial_key_hint}</span>
      </FactRow>
      <FactRow name="Kind">{kindWords[kind]}</FactRow>
      <FactRow name="Works in">
        {workspace === null ? (
          "The whole organization"
        ) : (
          <ObjectLink id={workspace}>{place ?? workspace}</ObjectLink>
        )}
      </FactRow>
      {key.scopes.length > 0 && (
        <FactRow name="Scopes">
          <span className="font-mono text-sm wrap-anywhere">{key.scopes.join(", ")}</span>
        </FactRow>
      )}
      <FactRow name="Last use">
        {key.last_used_at === null ? "Never used" : <Time at={key.last_used_at} />}
        {mayLog && <LastRequest subject={subject} />}
      </FactRow>
      <FactRow name="Created">
        <Time at={key.created_at} />
        {maker !== null && (
          <>
            {" by "}
            <ObjectLink id={maker.id} isInText>
              {makerWords(maker)}
            </ObjectLink>
          </>
        )}
      </FactRow>
      <FactRow name="Expires">
        <Time at={key.expires_at} />
      </FactRow>
    </Facts>
  );
}

// Issuers, and how their keys are doing.
import { Archive, Pencil, RefreshCw } from "lucide-react";
import type { FederationAct } from "../federation-acts.tsx";
import { useAct } from "../../kit/form/act.ts";
import { server } from "../../kit/server/api.ts";
import { sentenceOf } from "../../kit/server/errors.ts";
import { renewFederation, keysFrom, spanText, type Issuer } from "../federation.ts";
import { plural } from "../../kit/value/words.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Time } from "../../kit/value/time.tsx";
import { say } from "../../kit/page/toast.tsx";

export function IssuerTable({
  rows,
  onAct,
}: {
  rows: Issuer[];
  /** Left out for those who may only look. */
  onAct?: (act: FederationAct) => void;
}) {
  const columns: Column<Issuer>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:w-2/5",
      cell: ({ name, issuer_url: url, archived_at: archived }) => (
        <>
          <span className="inline-flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
            {name}
            {archived !== null && <Badge>Archived</Badge>}
          </span>
          <span className="block text-sm text-soft wrap-anywhere">{url}</span>
        </>
      ),
    },
    {
      title: "Keys",
      cell: (issuer) => <Keys issuer={issuer} mayWrite={onAct !== undefined} />,
    },
    {
      title: "Tokens",
      cell: ({ check_jti: once, max_jwt_lifetime_seconds: life }) => (
        <span>
          Up to {spanText(life)}
          <span className="block text-sm text-soft">{once ? "Good once" : "Good repeatedly"}</span>
        </span>
      ),
    },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (issuer) =>
        issuer.archived_at === null && (
          <ActMenu
            label={`Change ${issuer.name}`}
            acts={[
              { label: "Edit", icon: Pencil, run: () => onAct({ kind: "edit issuer", issuer }) },
              {
                label: "Archive",
                icon: Archive,
                isBad: true,
                run: () => onAct({ kind: "archive issuer", issuer }),
              },
            ]}
          />
        ),
    });
  return <Table label="Issuers" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function Keys({ issuer, mayWrite }: { issuer: Issuer; mayWrite: boolean }) {
  const { jwks, poll_status: poll, jwks_polling_disabled_at: stopped, archived_at } = issuer;
  return (
    <div className="min-w-0">
      {keysFrom[jwks.type]}
      {jwks.type === "inline" && (
        <span className="block text-sm text-soft">{plural(jwks.keys.length, "key")}</span>
      )}
      {poll !== null && archived_at === null && (
        <span className="block text-sm text-soft">
          Fetched: <Time at={poll.last_fetched_at} never="not yet" />
        </span>
      )}
      {poll !== null && poll.consecutive_failures > 0 && archived_at === null && (
        <span className="block text-sm text-bad wrap-anywhere">
          {plural(poll.consecutive_failures, "failure")}: {poll.last_failure}
        </span>
      )}
      {stopped !== null && archived_at === null && (
        <div className="mt-1.5 flex flex-wrap items-center gap-2">
          <Badge tone="bad">Polling stopped</Badge>
          {mayWrite && <StartAgain issuer={issuer} />}
        </div>
      )}
    </div>
  );
}

function StartAgain({ issuer: { id, name } }: { issuer: Issuer }) {
  const start = useAct({
    mutationFn: () =>
      server.federation_issuers.update({
        params: { federation_issuer_id: id },
        body: { jwks_polling_disabled: false },
      }),
    onSuccess: async () => {
      await renewFederation();
      say.good(`Keys of ${name} are fetched again`);
    },
    onError: (error) => say.bad(sentenceOf(error)),
  });
  return (
    <Button busy={start.isPending} onClick={() => start.mutate()}>
      <RefreshCw size={15} aria-hidden />
      Start again
    </Button>
  );
}

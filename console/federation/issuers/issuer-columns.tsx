// What a list of issuers shows of each, and how its keys are doing.
import { RefreshCw } from "lucide-react";
import { useAct } from "../../kit/form/act.ts";
import { nameColumn } from "../../kit/list/columns.tsx";
import type { Column } from "../../kit/list/table.tsx";
import { Button } from "../../kit/page/button.tsx";
import { say } from "../../kit/page/say.ts";
import { server } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Time } from "../../kit/value/time.tsx";
import { plural } from "../../../client/text/words.ts";
import { keysFrom, renewFederation, spanText, type Issuer } from "../federation.ts";

export const issuerColumns = (mayWrite: boolean): Column<Issuer>[] => [
  nameColumn<Issuer>({
    className: "md:w-2/5",
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ issuer_url: url }) => url,
  }),
  { title: "Keys", cell: (issuer) => <Keys issuer={issuer} mayWrite={mayWrite} /> },
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
    onError: say.error,
  });
  return (
    <Button busy={start.isPending} onClick={() => start.mutate()}>
      <RefreshCw size={15} aria-hidden />
      Start again
    </Button>
  );
}

// The connection to the identity provider: how it stands, what the last test found, and what an owner may do with it.
import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { editConnection } from "./connection-form.tsx";
import { turnSingleSignOn, type Turn } from "./turn-single-sign-on.tsx";
import { api, type Connection, type SingleSignOn } from "../kit/server/api.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { spaced } from "../kit/value/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { Card, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { signInQueries } from "./queries.ts";

export function SingleSignOnCard({ isOwner }: { isOwner: boolean }) {
  const { data, error, refetch } = useQuery(signInQueries.singleSignOn);
  return (
    <Section
      title="Single sign-on"
      note="People sign in through your organization's identity provider, by OpenID Connect."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={3} />}
      {data?.connection === null && (
        <EmptyState
          icon={KeyRound}
          title="No identity provider yet"
          action={
            isOwner && (
              <Button look="primary" onClick={() => editConnection(data)}>
                Set up single sign-on
              </Button>
            )
          }
        >
          Okta, Entra ID, Google, Keycloak and every other provider of OpenID Connect will do.
          {isOwner
            ? " Make an application there for this server, then name it here."
            : " An owner can set it up."}
        </EmptyState>
      )}
      {data !== undefined && data.connection !== null && (
        <Present connection={data.connection} facts={data} isOwner={isOwner} />
      )}
    </Section>
  );
}

function Present({
  connection,
  facts,
  isOwner,
}: {
  connection: Connection;
  facts: SingleSignOn;
  isOwner: boolean;
}) {
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium wrap-anywhere">{connection.name}</h3>
        <State connection={connection} />
      </div>
      <Facts connection={connection} facts={facts} />
      <Finding connection={connection} />
      {isOwner && <Acts connection={connection} facts={facts} />}
    </Card>
  );
}

function State({ connection: { enabled, required } }: { connection: Connection }) {
  if (required) return <Badge tone="accent">Required</Badge>;
  return enabled ? <Badge tone="good">On</Badge> : <Badge tone="warn">Off</Badge>;
}

function Facts({ connection, facts }: { connection: Connection; facts: SingleSignOn }) {
  const joins: Record<Connection["provisioning"], string> = {
    none: "By invitation only",
    jit: `At their first sign-in, as ${spaced(connection.default_role).toLowerCase()}`,
    scim: "By SCIM",
  };
  const roles = connection.controls_roles
    ? `By the groups in ${connection.groups_claim ?? "no claim"}, at each sign-in`
    : "Given here";
  return (
    <dl className="my-3 grid gap-x-6 gap-y-2 md:grid-cols-[max-content_minmax(0,1fr)]">
      <Fact name="Issuer">{connection.issuer}</Fact>
      <Fact name="Client ID">{connection.client_id}</Fact>
      <Fact name="People join">{joins[connection.provisioning]}</Fact>
      <Fact name="Roles">{roles}</Fact>
      <Fact name="Redirect URI" copy={facts.redirect_uri}>
        {facts.redirect_uri}
      </Fact>
      <Fact name="Your sign-in address" copy={facts.sign_in_url}>
        {facts.sign_in_url}
      </Fact>
    </dl>
  );
}

function Fact({ name, copy, children }: { name: string; copy?: string; children: string }) {
  return (
    <>
      <dt className="text-soft md:py-1">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="min-w-0 wrap-anywhere">{children}</span>
        {copy !== undefined && <CopyButton text={copy} look="quiet" aria-label={`Copy: ${name}`} />}
      </dd>
    </>
  );
}

function Finding({ connection: { test, tested_at } }: { connection: Connection }) {
  if (test === null || tested_at === null)
    return <p className="text-soft">These settings have not been tested yet.</p>;
  const seen = [
    test.name,
    test.email,
    test.role !== null && `would be ${spaced(test.role).toLowerCase()}`,
    test.groups !== null && `groups: ${test.groups.join(", ") || "none"}`,
  ].filter((text) => typeof text === "string");
  return (
    <div
      className={`rounded-lg p-3 ${test.passed ? "bg-good-soft text-good" : "bg-bad-soft text-bad"}`}
    >
      <p className="wrap-anywhere">{test.message}</p>
      <p className="mt-1 text-sm wrap-anywhere">
        Tested <Time at={tested_at} />
        {seen.length > 0 && `; seen: ${seen.join(", ")}`}.
      </p>
    </div>
  );
}

function Acts({ connection, facts }: { connection: Connection; facts: SingleSignOn }) {
  const { enabled, required, test } = connection;
  const turn = (to: Turn) => () => turnSingleSignOn(connection, to);
  const start = useProvenAct({
    mutationFn: () => api.single_sign_on.test(),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <>
      {start.error !== null && (
        <div className="mt-3">
          <TroubleBox error={start.error} />
        </div>
      )}
      <div className="mt-4 flex flex-wrap gap-2">
        <Button
          look={test?.passed === true ? "plain" : "primary"}
          busy={start.isPending}
          onClick={() => start.mutate()}
        >
          Test this connection
        </Button>
        {!enabled && test?.passed === true && (
          <Button look="primary" onClick={turn("on")}>
            Switch on
          </Button>
        )}
        {enabled && !required && <Button onClick={turn("required")}>Require it</Button>}
        {required && <Button onClick={turn("optional")}>Stop requiring it</Button>}
        {enabled && !required && <Button onClick={turn("off")}>Switch off</Button>}
        <Button onClick={() => editConnection(facts)}>Edit</Button>
        {!required && (
          <Button look="quiet" onClick={turn("gone")}>
            Remove
          </Button>
        )}
      </div>
      {start.proof}
    </>
  );
}

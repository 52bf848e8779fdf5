// SCIM: the identity provider pushes people and groups, and the owner says what it controls.
import { useQuery } from "@tanstack/react-query";
import { EmailDomains } from "./email-domains.tsx";
import { ProviderControl } from "./provider-control.tsx";
import { ScimTokens } from "./scim-tokens.tsx";
import { useMe } from "../kit/server/queries.ts";
import { scimQueries } from "./scim.ts";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { ScimGuides } from "./scim-guides.tsx";
import { ScimRequests } from "./scim-requests.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("identity_provider:write");
  return (
    <>
      <PageHeader title="SCIM">
        The directory where your people are kept pushes them here: who joins, who leaves, and which
        groups they are in.
      </PageHeader>
      <Connection mayWrite={mayWrite} />
      <Control mayWrite={mayWrite} />
      <ScimGuides />
      <ScimRequests />
      <EmailDomains mayWrite={mayWrite} />
    </>
  );
}

function Connection({ mayWrite }: { mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(scimQueries.status);
  return (
    <Section title="Connection" note="The two things that the identity provider asks for.">
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <div className="mb-4 rounded-lg border border-line bg-surface p-4">
          <h3 className="font-medium">Base address</h3>
          <div className="mt-1 flex flex-wrap items-center gap-2">
            <output
              aria-label="Base address"
              className="min-w-0 flex-1 basis-56 font-mono text-sm break-all select-all"
            >
              {data.base_url}
            </output>
            <CopyButton text={data.base_url} />
          </div>
          {data.base_url.startsWith("http://") && (
            <p className="mt-2 text-sm text-warn">
              Providers outside of this machine want https: set the public address of the server
              first.
            </p>
          )}
        </div>
      )}
      <ScimTokens mayWrite={mayWrite} />
    </Section>
  );
}

function Control({ mayWrite }: { mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(scimQueries.provider);
  return (
    <Section
      title="What the provider controls"
      note="What it controls is closed to everybody here; reading it always works."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={3} />}
      {data !== undefined && (
        <ProviderControl key={JSON.stringify(data)} provider={data} mayWrite={mayWrite} />
      )}
    </Section>
  );
}

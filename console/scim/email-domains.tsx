// E-mail domains of the organization: claimed, shown to be its own, and given up.
import { useQuery } from "@tanstack/react-query";
import { useAct } from "../kit/form/act.ts";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { say } from "../kit/page/say.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { api } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Code } from "../kit/value/snippet.tsx";
import { scimQueries, type EmailDomain } from "./scim.ts";

const renew = () => void queryClient.invalidateQueries({ queryKey: ["email_domains"] });

export function EmailDomains({ mayWrite }: { mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(scimQueries.domains);
  return (
    <Section
      title="E-mail domains"
      note="Whoever signs in with an address of a verified domain is led to this organization's single sign-on."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      <div className="grid gap-3">
        {(data?.data ?? []).map((domain) => (
          <Domain key={domain.id} domain={domain} mayWrite={mayWrite} />
        ))}
        {data?.data.length === 0 && (
          <p className="text-soft">None is claimed: everybody chooses how to sign in.</p>
        )}
        {mayWrite && <Claim />}
        <InviteRule mayWrite={mayWrite} />
      </div>
    </Section>
  );
}

function Domain({ domain, mayWrite }: { domain: EmailDomain; mayWrite: boolean }) {
  const verify = useAct({
    mutationFn: () => api.email_domains.verify({ params: { email_domain_id: domain.id } }),
    onSuccess: () => {
      renew();
      say.good(`${domain.domain} is yours`);
    },
  });
  const isPending = domain.status === "pending";
  return (
    <div className="grid gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 font-medium wrap-anywhere">{domain.domain}</h3>
        <Badge tone={isPending ? "warn" : "good"}>{isPending ? "Not verified" : "Verified"}</Badge>
        {mayWrite && <Button onClick={() => giveUp(domain)}>Give up</Button>}
      </div>
      {isPending && (
        <>
          <p className="text-soft">
            Add a TXT record where the domain is kept. Until it is seen, the domain leads nobody
            here.
          </p>
          <Code code={domain.record_name} label={`Name of the record of ${domain.domain}`} />
          <Code code={domain.record_value} label={`Text of the record of ${domain.domain}`} />
          {verify.error !== null && <TroubleBox error={verify.error} />}
          {mayWrite && (
            <div>
              <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
                Look for the record
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function Claim() {
  const form = useForm({
    start: { domain: "" },
    save: ({ domain }) => api.email_domains.create({ body: { domain: domain.trim() } }),
    renew,
    next: () => form.set({ domain: "" }),
  });
  return (
    <div className="max-w-md">
      <Form
        form={form}
        label="Claim it"
        look="plain"
        inPage
        isReady={form.values.domain.trim().length > 2}
      >
        <TextField
          label="Another domain"
          hint="What stands behind the @, such as example.com."
          maxLength={253}
          autoComplete="off"
          spellCheck={false}
          {...form.field("domain")}
        />
      </Form>
    </div>
  );
}

function InviteRule({ mayWrite }: { mayWrite: boolean }) {
  const { data } = useQuery(scimQueries.provider);
  const save = useAct({
    mutationFn: (own: boolean) =>
      api.identity_provider.update({ body: { invites_own_domains: own } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["identity_provider"] }),
  });
  if (data === undefined) return null;
  return (
    <>
      <CheckField
        label="Invite people of verified domains only"
        hint="Addresses of other domains are refused; members that there are stay."
        checked={data.invites_own_domains}
        disabled={!mayWrite || save.isPending}
        onChange={({ target }) => save.mutate(target.checked)}
      />
      {save.error !== null && <TroubleBox error={save.error} />}
    </>
  );
}

const giveUp = ({ id, domain }: EmailDomain) =>
  confirm({
    title: `Give ${domain} up?`,
    label: "Give up",
    run: () => api.email_domains.delete({ params: { email_domain_id: id } }),
    renew,
    children: (
      <p>
        Its people are no longer led to this organization's single sign-on. Claimed again, it wants
        another record.
      </p>
    ),
  });

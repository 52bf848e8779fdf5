// E-mail domains of the organization: claimed, shown to be its own, and given up.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient } from "../kit/server/queries.ts";
import { scimQueries, type EmailDomain } from "./scim.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { CheckField, TextField } from "../kit/form/field.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Code } from "../kit/value/snippet.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

const renew = () => void queryClient.invalidateQueries({ queryKey: ["email_domains"] });

export function EmailDomains({ mayWrite }: { mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(scimQueries.domains);
  const [leaving, setLeaving] = useState<EmailDomain>();
  return (
    <Section
      title="E-mail domains"
      note="Whoever signs in with an address of a verified domain is led to this organization's single sign-on."
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      <div className="grid gap-3">
        {(data?.data ?? []).map((domain) => (
          <Domain
            key={domain.id}
            domain={domain}
            onLeave={mayWrite ? () => setLeaving(domain) : undefined}
          />
        ))}
        {data?.data.length === 0 && (
          <p className="text-soft">None is claimed: everybody chooses how to sign in.</p>
        )}
        {mayWrite && <Claim />}
        <InviteRule mayWrite={mayWrite} />
      </div>
      <GiveUp domain={leaving} onClose={() => setLeaving(undefined)} />
    </Section>
  );
}

function Domain({ domain, onLeave }: { domain: EmailDomain; onLeave: (() => void) | undefined }) {
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
        {onLeave !== undefined && <Button onClick={onLeave}>Give up</Button>}
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
          {onLeave !== undefined && (
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
  const [typed, setTyped] = useState("");
  const claim = useAct({
    mutationFn: (domain: string) => api.email_domains.create({ body: { domain } }),
    onSuccess: () => {
      setTyped("");
      renew();
    },
  });
  const error = fieldError(claim.error, "domain");
  function submit(event: FormEvent): void {
    event.preventDefault();
    claim.mutate(typed.trim());
  }
  return (
    <form onSubmit={submit} noValidate className="grid max-w-md gap-2">
      <TextField
        label="Another domain"
        hint="What stands behind the @, such as example.com."
        value={typed}
        maxLength={253}
        autoComplete="off"
        spellCheck={false}
        error={error}
        onChange={({ target }) => setTyped(target.value)}
      />
      {claim.error !== null && error === undefined && <TroubleBox error={claim.error} />}
      <div>
        <Button type="submit" busy={claim.isPending} disabled={typed.trim().length < 3}>
          Claim it
        </Button>
      </div>
    </form>
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

function GiveUp({ domain, onClose }: { domain: EmailDomain | undefined; onClose: () => void }) {
  const leave = useAct({
    mutationFn: ({ id }: EmailDomain) =>
      api.email_domains.delete({ params: { email_domain_id: id } }),
    onSuccess: () => {
      renew();
      onClose();
    },
  });
  return (
    <Dialog
      open={domain !== undefined}
      onClose={onClose}
      title={`Give ${domain?.domain ?? ""} up?`}
      description="Its people are no longer led to this organization's single sign-on. Claimed again, it wants another record."
    >
      {leave.error !== null && <TroubleBox error={leave.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={leave.isPending}
          onClick={() => domain !== undefined && leave.mutate(domain)}
        >
          Give up
        </Button>
      </DialogActions>
    </Dialog>
  );
}

// Whom the provider sent and who was not let in: an owner may say which member it is.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api, type Stranger } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { signInQueries } from "./queries.ts";

const reasons: Record<string, string> = {
  email_missing: "Came without an e-mail",
  email_unusable: "Came with an e-mail that is no address",
  email_unverified: "E-mail not verified",
  domain_unverified: "A member, but the domain is not verified",
  linked_to_another: "The member has another account there",
  not_provisioned: "No member",
  no_seat: "No seat was free",
  not_invited_domain: "Of another domain",
};

export function Strangers() {
  const { data } = useQuery(signInQueries.strangers);
  const [chosen, setChosen] = useState<Stranger>();
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section
      title="Not let in"
      note="The provider knows them; nobody here is them. If one is a member, say which."
    >
      <Table
        label="People who were not let in"
        columns={columns(setChosen)}
        rows={data.data}
        keyOf={({ id }) => id}
      />
      {chosen !== undefined && (
        <LinkStranger stranger={chosen} onClose={() => setChosen(undefined)} />
      )}
    </Section>
  );
}

const columns = (choose: (stranger: Stranger) => void): Column<Stranger>[] => [
  {
    title: "Person",
    heads: true,
    cell: ({ name, email, subject }) => (
      <span className="wrap-anywhere" title={subject}>
        {[name, email].filter((text) => text !== null).join(", ") || subject}
      </span>
    ),
  },
  { title: "Why", cell: ({ reason }) => reasons[reason] ?? reason },
  { title: "Last try", cell: ({ seen_at }) => <Time at={seen_at} /> },
  {
    title: "Acts",
    bare: true,
    foot: true,
    className: "text-right",
    cell: (stranger) => <Button onClick={() => choose(stranger)}>This is a member…</Button>,
  },
];

function LinkStranger({ stranger, onClose }: { stranger: Stranger; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const link = useProvenAct({
    mutationFn: () =>
      api.single_sign_on.link({ body: { stranger_id: stranger.id, email: email.trim() } }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["sign_on"] });
      say.good("They are known from now on");
      onClose();
    },
  });
  const wrong = fieldError(link.error, "email");
  function submit(event: FormEvent): void {
    event.preventDefault();
    link.mutate();
  }
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title={`Who is ${stranger.name ?? stranger.email ?? "this"}?`}
        description={`From now on the account ${stranger.subject} at the provider signs in as that member, with everything that they may do.`}
      >
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="The member's e-mail here"
            type="email"
            required
            autoComplete="off"
            value={email}
            error={wrong}
            onChange={({ target }) => setEmail(target.value)}
          />
          {link.error !== null && wrong === undefined && <TroubleBox error={link.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={link.isPending} disabled={email === ""}>
              Link them
            </Button>
          </DialogActions>
        </form>
      </Dialog>
      {link.proof}
    </>
  );
}

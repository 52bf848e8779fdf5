// Whom the provider sent and who was not let in: an owner may say which member it is.
import { useQuery } from "@tanstack/react-query";
import { api, type Stranger } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { timeColumn } from "../kit/list/columns.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
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
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section
      title="Not let in"
      note="The provider knows them; nobody here is them. If one is a member, say which."
    >
      <Table
        label="People who were not let in"
        columns={columns}
        rows={data.data}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

const columns: Column<Stranger>[] = [
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
  timeColumn("Last try", ({ seen_at: at }) => at),
  {
    title: "Acts",
    bare: true,
    foot: true,
    className: "text-right",
    cell: (stranger) => <Button onClick={() => link(stranger)}>This is a member…</Button>,
  },
];

const link = (stranger: Stranger) =>
  openDialog({
    title: `Who is ${stranger.name ?? stranger.email ?? "this"}?`,
    description: `From now on the account ${stranger.subject} at the provider signs in as that member, with everything that they may do.`,
    body: <LinkForm of={stranger} />,
  });

function LinkForm({ of: { id } }: { of: Stranger }) {
  const form = useForm({
    start: { email: "" },
    save: ({ email }) =>
      api.single_sign_on.link({ body: { stranger_id: id, email: email.trim() } }),
    done: () => "They are known from now on",
    renew: () => void queryClient.invalidateQueries({ queryKey: ["sign_on"] }),
  });
  return (
    <Form form={form} label="Link them" isReady={form.values.email !== ""}>
      <TextField
        label="The member's e-mail here"
        type="email"
        required
        autoComplete="off"
        {...form.field("email")}
      />
    </Form>
  );
}

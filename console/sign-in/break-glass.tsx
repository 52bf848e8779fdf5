// Owners, and which of them keep password and passkeys where single sign-on is required.
import type { SignInMethods } from "../kit/server/api.ts";
import { api } from "../kit/server/api.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { plural } from "../../client/text/words.ts";
import { spaced } from "../kit/value/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { say } from "../kit/page/say.ts";

type Owner = SignInMethods["break_glass"][number];

export function BreakGlass({ owners, isOwner }: { owners: Owner[]; isOwner: boolean }) {
  const mark = useProvenAct({
    mutationFn: ({ user, marked }: Owner) =>
      api.break_glass.set({ params: { user_id: user.id }, body: { break_glass: !marked } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["sign_on"] }),
    onError: say.error,
  });
  return (
    <Section
      title="Break-glass owners"
      note="They keep a password and passkeys where single sign-on is required, for the day on which the provider fails. Each such sign-in stands in the audit log."
    >
      <Table
        label="Owners"
        columns={columns(isOwner, mark.isPending, mark.mutate)}
        rows={owners}
        keyOf={({ user }) => user.id}
      />
      {mark.proof}
    </Section>
  );
}

const columns = (
  isOwner: boolean,
  busy: boolean,
  mark: (owner: Owner) => void,
): Column<Owner>[] => [
  {
    title: "Owner",
    heads: true,
    cell: ({ user, role, marked }) => (
      <span className="inline-flex flex-wrap items-center gap-2 wrap-anywhere" title={user.email}>
        {user.name}
        {role === "primary_owner" && <Badge>{spaced(role)}</Badge>}
        {marked && <Badge tone="accent">Break-glass</Badge>}
      </span>
    ),
  },
  {
    title: "Keeps",
    cell: ({ has_password, passkeys }) =>
      [has_password && "Password", passkeys > 0 && plural(passkeys, "passkey")]
        .filter(Boolean)
        .join(", ") || "Nothing yet",
  },
  {
    title: "Past single sign-on",
    cell: ({ last_break_glass_at: at }) => (at === null ? "Never" : <Time at={at} />),
  },
  {
    title: "Acts",
    bare: true,
    foot: true,
    className: "text-right",
    cell: (owner) =>
      isOwner &&
      owner.role !== "primary_owner" && (
        <Button busy={busy} onClick={() => mark(owner)}>
          {owner.marked ? "Take the mark away" : "Mark as break-glass"}
        </Button>
      ),
  },
];

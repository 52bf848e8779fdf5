// The invites of an organization: who is asked to join, for how long, and what became of their mail.
import { MailPlus } from "lucide-react";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import type { Filter } from "../../kit/list/filters.tsx";
import { CreateButton, type Create } from "../../kit/list/list-page.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList, type List } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { useSearchState } from "../../kit/page/search.ts";
import type { Invite, InviteStatus } from "../../kit/server/api.ts";
import { useMe, useServerUrl } from "../../kit/server/queries.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { asAdministrator } from "../../kit/value/snippets.ts";
import { memberQueries } from "../member-queries.ts";
import { RoleBadge } from "../roles.tsx";
import { inviteActs } from "./invite-acts.tsx";

const about =
  "An invite is a link that works once, for 21 days. Whoever opens it chooses a name and a password, and is a member.";

export function InviteList({ hasMail, invite }: { hasMail: boolean; invite: Create | undefined }) {
  const url = useServerUrl();
  const mayWrite = useMe().permissions.includes("members:write");
  return (
    <ListView
      label="Invites"
      noun="invite"
      icon={MailPlus}
      list={useInvites()}
      columns={columns}
      nameOf={({ email }) => `the invite of ${email}`}
      acts={mayWrite ? (each) => inviteActs(each, hasMail) : undefined}
      filters={filters}
      nothingFits={{ title: "No invite fits these filters", children: about }}
      empty={{
        title: "Nobody was invited yet",
        children: about,
        snippets: asAdministrator(url, "invites", { email: "new@example.com", role: "user" }),
        action: invite && <CreateButton create={invite} />,
      }}
    />
  );
}

function useInvites(): List<Invite> {
  const [{ q, status }] = useSearchState();
  return usePagedList(
    memberQueries.invites({
      ...(q !== undefined && { email: q }),
      ...(isInviteStatus(status) && { statuses: [status] }),
    }),
  );
}

const isInviteStatus = (text: string | undefined): text is InviteStatus =>
  filterable.some((status) => status === text);

const statuses: Record<Invite["status"], { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "warn" },
  accepted: { label: "Accepted", tone: "good" },
  expired: { label: "Expired", tone: "neutral" },
  deleted: { label: "Withdrawn", tone: "neutral" },
  withdrawn: { label: "Withdrawn", tone: "neutral" },
};
const filterable: InviteStatus[] = ["pending", "accepted", "expired"];

const filters: Filter[] = [
  { kind: "search", name: "q", label: "Whole e-mail" },
  {
    kind: "choice",
    name: "status",
    label: "Status",
    any: "Any status",
    choices: filterable.map((value) => ({ value, label: statuses[value].label })),
  },
];

const columns: Column<Invite>[] = [
  nameColumn<Invite>({
    title: "E-mail",
    name: ({ email }) => <span className="line-clamp-2">{email}</span>,
    below: ({ invited_by_name: name }) => name !== null && `by ${name}`,
  }),
  { title: "Role", cell: ({ role }) => <RoleBadge role={role} /> },
  {
    title: "Status",
    cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>,
  },
  { title: "Link", cell: (invite) => <Way of={invite} /> },
  timeColumn("Invited", ({ invited_at: at }) => at),
  timeColumn("Ends", ({ expires_at: at }) => at),
];

const mailWords = { waiting: "Being sent", sent: "Sent", failed: "Not sent" };

function Way({ of: { mail, has_link: hasLink, status } }: { of: Invite }) {
  if (status !== "pending") return <span className="text-soft">None</span>;
  if (mail === null)
    return hasLink ? "Copied by hand" : <span className="text-warn">Make one</span>;
  return (
    <span className={mail.status === "failed" ? "text-bad" : ""} title={mail.error ?? undefined}>
      {mailWords[mail.status]}
      {mail.error !== null && (
        <span className="block text-sm wrap-anywhere text-soft">{mail.error}</span>
      )}
    </span>
  );
}

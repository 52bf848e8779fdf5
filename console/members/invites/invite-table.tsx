// The table of invites: for how long, and what became of their mail.
import { Link2, Mail, Undo2 } from "lucide-react";
import type { InviteAct } from "./invite-acts.tsx";
import type { Invite, InviteStatus } from "../../kit/server/api.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { RoleBadge } from "../member-table.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Time } from "../../kit/value/time.tsx";

const statuses: Record<Invite["status"], { label: string; tone: Tone }> = {
  pending: { label: "Pending", tone: "warn" },
  accepted: { label: "Accepted", tone: "good" },
  expired: { label: "Expired", tone: "neutral" },
  deleted: { label: "Withdrawn", tone: "neutral" },
  withdrawn: { label: "Withdrawn", tone: "neutral" },
};

export const inviteFilters: Record<InviteStatus, string> = {
  pending: "Pending",
  accepted: "Accepted",
  expired: "Expired",
};

export function InviteTable({
  rows,
  hasMail,
  onAct,
}: {
  rows: Invite[];
  hasMail: boolean;
  onAct?: (act: InviteAct) => void;
}) {
  const columns: Column<Invite>[] = [
    {
      title: "E-mail",
      heads: true,
      className: "md:min-w-48",
      cell: (invite) => (
        <>
          <span className="line-clamp-2 font-medium wrap-anywhere">{invite.email}</span>
          {invite.invited_by_name !== null && (
            <span className="block text-sm wrap-anywhere text-soft">
              by {invite.invited_by_name}
            </span>
          )}
        </>
      ),
    },
    { title: "Role", cell: ({ role }) => <RoleBadge role={role} /> },
    {
      title: "Status",
      cell: ({ status }) => <Badge tone={statuses[status].tone}>{statuses[status].label}</Badge>,
    },
    { title: "Link", cell: (invite) => <Way of={invite} /> },
    { title: "Invited", cell: ({ invited_at }) => <Time at={invited_at} /> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} /> },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (invite) =>
        invite.status === "pending" && (
          <ActMenu
            label={`Change the invite of ${invite.email}`}
            acts={[
              { label: "New link", icon: Link2, run: () => onAct({ kind: "link", invite }) },
              {
                label: "Send again",
                icon: Mail,
                run: () => onAct({ kind: "send", invite }),
                when: hasMail,
              },
              {
                label: "Withdraw",
                icon: Undo2,
                run: () => onAct({ kind: "withdraw", invite }),
                isBad: true,
              },
            ]}
          />
        ),
    });
  return <Table label="Invites" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

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

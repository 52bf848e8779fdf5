// The table of members, with what the viewer may do to each.
import { Armchair, Crown, Link2, LogOut, UserCog, UserMinus } from "lucide-react";
import type { MemberAct } from "./member-acts.tsx";
import type { Member, Role } from "../kit/server/api.ts";
import { roleHints, roleNames } from "./roles.ts";
import { ActMenu, type MenuAct } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";

export const RoleBadge = ({ role }: { role: Role }) => (
  <span title={roleHints[role]}>
    <Badge tone={role.includes("owner") ? "accent" : "neutral"}>{roleNames[role]}</Badge>
  </span>
);

export function MemberTable({
  rows,
  you,
  hasSeats,
  maySeat,
  onAct,
}: {
  rows: Member[];
  you: string;
  hasSeats: boolean;
  maySeat: boolean;
  onAct: (act: MemberAct) => void;
}) {
  const columns: Column<Member>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:min-w-48",
      cell: (member) => (
        <>
          <span className="line-clamp-2 font-medium wrap-anywhere">
            {member.name}
            {member.id === you && <span className="font-normal text-soft"> (you)</span>}
          </span>
          <span className="block text-sm wrap-anywhere text-soft">{member.email}</span>
        </>
      ),
    },
    { title: "Role", cell: ({ role }) => <RoleBadge role={role} /> },
    ...(hasSeats ? [{ title: "Seat", cell: ({ seat_tier }: Member) => seat_tier ?? "None" }] : []),
    { title: "Joined", cell: ({ added_at }) => <Time at={added_at} /> },
    {
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (member) => {
        const acts = actsOf(member, hasSeats && maySeat, onAct);
        return acts.length > 0 && <ActMenu label={`Change ${member.name}`} acts={acts} />;
      },
    },
  ];
  return <Table label="Members" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

function actsOf(member: Member, maySeat: boolean, onAct: (act: MemberAct) => void): MenuAct[] {
  const { may } = member;
  const act = (kind: MemberAct["kind"]) => () => onAct({ kind, member });
  const acts: MenuAct[] = [
    { label: "Change role", icon: UserCog, run: act("role"), when: may.roles.length > 0 },
    { label: "Change seat", icon: Armchair, run: act("seat"), when: maySeat },
    { label: "Sign out everywhere", icon: LogOut, run: act("sign_out"), when: may.sign_out },
    { label: "Set-up link", icon: Link2, run: act("setup_link"), when: may.setup_link },
    {
      label: "Hand on the ownership",
      icon: Crown,
      run: act("transfer"),
      when: may.receive_ownership,
    },
    { label: "Remove", icon: UserMinus, run: act("remove"), when: may.remove, isBad: true },
  ];
  return acts.filter(({ when }) => when === true);
}

// What is done to a pending invite: a new link, the mail again, or its end.
import { Link2, Mail, Undo2 } from "lucide-react";
import { confirm, Named } from "../../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../../kit/list/act-menu.tsx";
import { api, type Invite } from "../../kit/server/api.ts";
import { showLink } from "./invite.tsx";

export function inviteActs(invite: Invite, hasMail: boolean): MenuAct[] {
  if (invite.status !== "pending") return [];
  return [
    { label: "New link", icon: Link2, run: () => renewLink(invite) },
    { label: "Send again", icon: Mail, run: () => send(invite), when: hasMail },
    { label: "Withdraw", icon: Undo2, run: () => withdraw(invite), isBad: true },
  ];
}

const paramsOf = ({ id }: Invite) => ({ invite_id: id });

const renewLink = (invite: Invite) =>
  confirm({
    title: "Make a new link?",
    label: "Make a new link",
    look: "primary",
    run: () => api.invites.link({ params: paramsOf(invite) }),
    next: (made) => showLink(made, false),
    children: (
      <p>
        <Named>{invite.email}</Named>: The link that was handed over before is dead at once. The new
        one is shown to you once.
      </p>
    ),
  });

const send = (invite: Invite) =>
  confirm({
    title: "Send the invite again?",
    label: "Send again",
    look: "primary",
    run: () => api.invites.send({ params: paramsOf(invite) }),
    done: `On its way to ${invite.email}`,
    children: (
      <p>
        <Named>{invite.email}</Named>: It is sent with a new link; the one before is dead at once.
      </p>
    ),
  });

const withdraw = (invite: Invite) =>
  confirm({
    title: "Withdraw this invite?",
    label: "Withdraw",
    run: () => api.invites.delete({ params: paramsOf(invite) }),
    done: "The invite is withdrawn",
    children: (
      <p>
        <Named>{invite.email}</Named>: Its link is dead at once, and its seat is free again. To
        invite them later, make a new one.
      </p>
    ),
  });

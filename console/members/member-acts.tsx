// What is done to a member. Each says what will happen before it does.
import { useQuery } from "@tanstack/react-query";
import { Armchair, Crown, Link2, LogOut, UserCog, UserMinus } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SecretOnce } from "../kit/dialog/secret-once.tsx";
import { SelectField } from "../kit/form/select.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api, type Member } from "../kit/server/api.ts";
import { exactTime } from "../kit/value/time.ts";
import { memberQueries } from "./member-queries.ts";
import { RoleField, roleNames } from "./roles.tsx";

export function memberActs(member: Member, maySeat: boolean): MenuAct[] {
  const { may } = member;
  return [
    {
      label: "Change role",
      icon: UserCog,
      run: () => openDialog({ title: "Change the role", body: <RoleForm of={member} /> }),
      when: may.roles.length > 0,
    },
    {
      label: "Change seat",
      icon: Armchair,
      run: () => openDialog({ title: "Change the seat", body: <SeatForm of={member} /> }),
      when: maySeat,
    },
    {
      label: "Sign out everywhere",
      icon: LogOut,
      run: () => signOut(member),
      when: may.sign_out,
    },
    {
      label: "Set-up link",
      icon: Link2,
      run: () => makeSetupLink(member),
      when: may.setup_link,
    },
    {
      label: "Hand on the ownership",
      icon: Crown,
      run: () => transfer(member),
      when: may.receive_ownership,
    },
    {
      label: "Remove",
      icon: UserMinus,
      run: () => remove(member),
      when: may.remove,
      isBad: true,
    },
  ];
}

const paramsOf = ({ id }: Member) => ({ user_id: id });

function RoleForm({ of: member }: { of: Member }) {
  const { role, may } = member;
  const form = useForm({
    start: { role },
    save: (body) => api.members.set_role({ params: paramsOf(member), body }),
    done: (saved) => `${saved.name} is ${roleNames[saved.role].toLowerCase()} now`,
  });
  return (
    <Form form={form} label="Change role">
      <p>
        The new role of <Named>{member.name}</Named> holds within a second, also where they are
        signed in.
      </p>
      <RoleField
        roles={may.roles.includes(role) ? may.roles : [role, ...may.roles]}
        {...form.choice("role")}
      />
    </Form>
  );
}

function SeatForm({ of: member }: { of: Member }) {
  const { data } = useQuery(memberQueries.seats);
  const tiers = data?.data ?? [];
  const present = tiers.find(({ name }) => name === member.seat_tier)?.id ?? "";
  const form = useForm({
    start: { tier_id: "" },
    save: (body) => api.members.move_seat({ params: paramsOf(member), body }),
    done: () => `The seat of ${member.name} is changed`,
  });
  const { tier_id: chosen } = form.values;
  return (
    <Form form={form} label="Change seat" isReady={chosen !== "" && chosen !== present}>
      <p>
        The seat that <Named>{member.name}</Named> holds now is free for somebody else.
      </p>
      <SelectField
        label="Tier"
        {...form.choice("tier_id")}
        value={chosen || present}
        choices={[
          ...(present === "" ? [{ value: "", label: "None" }] : []),
          ...tiers.map(({ id, name, seats, taken }) => ({
            value: id,
            label: `${name} (${seats - taken} free)`,
            disabled: id !== present && taken >= seats,
          })),
        ]}
      />
    </Form>
  );
}

const signOut = (member: Member) =>
  confirm({
    title: "Sign this person out?",
    label: "Sign out",
    run: () => api.members.end_sign_ins({ params: paramsOf(member) }),
    done: `${member.name} is signed out`,
    children: (
      <p>
        Every sign-in and access token of <Named>{member.name}</Named> ends within a second. They
        keep their role and may sign in again; keys that they made go on working.
      </p>
    ),
  });

const setupTitle = "Make a set-up link";

/** The way back for a member who lost their password and their passkeys. */
const makeSetupLink = (member: Member): void =>
  confirm({
    title: setupTitle,
    label: "Make the link",
    look: "primary",
    run: () => api.setup_links.create({ params: { user_id: member.id } }),
    next: (made) => showSetupLink(member, made),
    children: (
      <p>
        Whoever opens the link sets the password of <Named>{member.name}</Named> and is signed in as
        them; their passkeys and other sign-ins end. It is for somebody who cannot sign in any more,
        and for nobody else.
      </p>
    ),
  });

const showSetupLink = (
  member: Member,
  { url, expires_at: end }: { url: string; expires_at: string },
) =>
  openDialog({
    title: setupTitle,
    body: (
      <SecretOnce
        label={`Set-up link for ${member.email}`}
        secret={url}
        copyLabel="Copy link"
        about={
          <>
            Hand it over yourself. It works once, until {exactTime(end)}, and{" "}
            <strong className="font-semibold">it is shown this once.</strong> Another one can be
            made at any time.
          </>
        }
      />
    ),
  });

const remove = (member: Member) =>
  confirm({
    title: "Remove this person?",
    label: "Remove",
    run: () => api.members.delete({ params: paramsOf(member) }),
    done: `${member.name} is removed`,
    children: (
      <>
        <p>
          Every sign-in and access token of <Named>{member.name}</Named> ends within a second, and
          they leave their groups and workspaces.
          {member.seat_tier !== null && " Their seat is free again."}
        </p>
        <p>
          Keys that they made go on working: archive those that only they knew. Their name stays in
          the audit log. To come back they need a new invite.
        </p>
      </>
    ),
  });

const transfer = ({ id, name, email }: Member) =>
  confirm({
    title: "Hand on the ownership?",
    label: "Hand on the ownership",
    typed: email,
    // As the server compares addresses.
    sameAs: (text) => text.toLowerCase().normalize("NFC"),
    run: () => api.ownership.transfer({ body: { user_id: id, email } }),
    done: `${name} is the primary owner now`,
    children: (
      <p>
        <Named>{name}</Named> becomes the primary owner, and you become an owner. Only they can give
        it back.
      </p>
    ),
  });

// Inviting a person, in two steps: who and as what, then the link, once.
import { useQuery } from "@tanstack/react-query";
import { CheckField, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { SecretOnce } from "../../kit/dialog/secret-once.tsx";
import { api, type InviteWithLink, type Role } from "../../kit/server/api.ts";
import { useMe } from "../../kit/server/queries.ts";
import { memberQueries } from "../member-queries.ts";
import { RoleField } from "../roles.tsx";

export const inviteSomebody = (roles: readonly Role[], hasMail: boolean): void =>
  openDialog({
    title: "Invite somebody",
    body: <InviteForm roles={roles} hasMail={hasMail} />,
  });

function InviteForm({ roles, hasMail }: { roles: readonly Role[]; hasMail: boolean }) {
  const { permissions, organization } = useMe();
  const form = useForm({
    start: { email: "", role: roles[0] ?? "user", groups: [] as string[] },
    save: ({ email, role, groups }) =>
      api.invites.create({
        body: { email: email.trim(), role, ...(groups.length > 0 && { rbac_group_ids: groups }) },
      }),
    next: (made) => showLink(made, hasMail),
  });
  const { email, groups } = form.values;
  const mayGroup = organization.type === "enterprise" && permissions.includes("groups:write");
  return (
    <Form form={form} label="Invite" isReady={email.trim() !== ""}>
      <TextField
        label="E-mail"
        type="email"
        required
        autoComplete="off"
        hint="The invite is good for 21 days and for this address."
        {...form.field("email")}
      />
      <RoleField roles={roles} {...form.choice("role")} />
      {mayGroup && (
        <GroupChoice chosen={groups} onChange={(chosen) => form.set({ groups: chosen })} />
      )}
    </Form>
  );
}

function GroupChoice({
  chosen,
  onChange,
}: {
  chosen: string[];
  onChange: (ids: string[]) => void;
}) {
  const { data } = useQuery(memberQueries.groups);
  const groups = data?.data.filter(({ source_type: source }) => source === "direct") ?? [];
  if (groups.length === 0) return null;
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1.5 font-medium">Groups</legend>
      <div className="grid max-h-48 overflow-y-auto rounded-md border border-line p-2">
        {groups.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((other) => other !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** With mail the link has its way already, and may be lost here. */
export function showLink({ invite, link }: InviteWithLink, hasMail: boolean): void {
  const isSent = hasMail && invite.mail !== null;
  openDialog({
    title: `The link for ${invite.email}`,
    locked: true,
    body: (
      <SecretOnce
        label={`Link for ${invite.email}`}
        secret={link}
        copyLabel="Copy link"
        kept={isSent ? undefined : "I have handed it over"}
        about={
          <>
            {isSent
              ? "It is sent to them by e-mail. You may also hand it over yourself:"
              : "Hand this link over yourself, to nobody else: whoever opens it becomes a member."}{" "}
            <strong className="font-semibold">It is shown this once.</strong> A new link can be made
            at any time, and ends this one.
          </>
        }
      />
    ),
  });
}

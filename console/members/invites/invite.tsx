// Inviting somebody, in two steps: who and as what, then the link, once.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { api, type InviteWithLink, type Role } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import { memberQueries } from "../member-queries.ts";
import { queryClient, useMe } from "../../kit/server/queries.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { CheckField, TextField } from "../../kit/form/field.tsx";
import { SecretBox } from "../../kit/form/secret-box.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { RoleField } from "../member-acts.tsx";

export function InviteSomebody({
  roles,
  hasMail,
  open,
  onClose,
}: {
  roles: readonly Role[];
  hasMail: boolean;
  open: boolean;
  onClose: () => void;
}) {
  const [made, setMade] = useState<InviteWithLink>();
  function close(): void {
    setMade(undefined);
    onClose();
  }
  const isOpen = open || made !== undefined;
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      title={made === undefined ? "Invite somebody" : `The link for ${made.invite.email}`}
      locked={made !== undefined}
    >
      {made === undefined ? (
        <Form roles={roles} onMade={setMade} onCancel={close} />
      ) : (
        <LinkStep made={made} hasMail={hasMail} onDone={close} />
      )}
    </Dialog>
  );
}

function Form({
  roles,
  onMade,
  onCancel,
}: {
  roles: readonly Role[];
  onMade: (made: InviteWithLink) => void;
  onCancel: () => void;
}) {
  const { permissions, organization } = useMe();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>(roles[0] ?? "user");
  const [groups, setGroups] = useState<string[]>([]);
  const create = useAct({
    mutationFn: () =>
      api.invites.create({
        body: { email: email.trim(), role, ...(groups.length > 0 && { rbac_group_ids: groups }) },
      }),
    // The reply holds the link: the cache forgets it as soon as the step is left.
    gcTime: 0,
    onSuccess: (made) => {
      void queryClient.invalidateQueries();
      onMade(made);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }
  const emailError = fieldError(create.error, "email");
  const roleError = fieldError(create.error, "role");
  const elsewhere = create.error !== null && emailError === undefined && roleError === undefined;
  const mayGroup = organization.type === "enterprise" && permissions.includes("groups:write");
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="E-mail"
        type="email"
        required
        autoComplete="off"
        hint="The invite is good for 21 days and for this address."
        value={email}
        error={emailError}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RoleField roles={roles} role={role} error={roleError} onChange={setRole} />
      {mayGroup && <GroupChoice chosen={groups} onChange={setGroups} />}
      {elsewhere && <TroubleBox error={create.error} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={create.isPending} disabled={email.trim() === ""}>
          Invite
        </Button>
      </DialogActions>
    </form>
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
            onChange={(event) =>
              onChange(
                event.target.checked ? [...chosen, id] : chosen.filter((other) => other !== id),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

export function LinkStep({
  made: { invite, link },
  hasMail,
  onDone,
}: {
  made: InviteWithLink;
  hasMail: boolean;
  onDone: () => void;
}) {
  const [copied, setCopied] = useState(false);
  const [kept, setKept] = useState(false);
  const isSent = hasMail && invite.mail !== null;
  return (
    <div className="grid gap-4">
      <p>
        {isSent
          ? "It is sent to them by e-mail. You may also hand it over yourself:"
          : "Hand this link over yourself, to nobody else: whoever opens it becomes a member."}{" "}
        <strong className="font-semibold">It is shown this once.</strong> A new link can be made at
        any time, and ends this one.
      </p>
      <SecretBox
        label={`Link for ${invite.email}`}
        text={link}
        copyLabel="Copy link"
        onCopied={() => setCopied(true)}
      />
      {!isSent && (
        <CheckField
          label="I have handed it over"
          checked={kept}
          onChange={(event) => setKept(event.target.checked)}
        />
      )}
      <DialogActions>
        <Button
          look={copied || kept || isSent ? "primary" : "plain"}
          disabled={!copied && !kept && !isSent}
          onClick={onDone}
        >
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
